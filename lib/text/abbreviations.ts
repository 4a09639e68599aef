/**
 * Abbreviations and what may follow them: data for sentence-end.ts, by language. The chunker does not know the
 * language of a text, so all lists hold at once; a word that is common in one language (art, fig, no) is listed
 * only where what follows tells it apart. Written without the last full stop.
 */

/** Stand before a name: never the end of a sentence. Written with a capital. */
export const TITLES: readonly string[] = [
  // English
  ..."Dr Mr Mrs Ms Mx Messrs Prof Rev Fr Gen Sen Gov Capt Cpt Cmdr Lt Col Sgt Maj Adm Hon Pres Rep Supt Amb".split(
    " ",
  ),
  // Spanish, Portuguese
  ..."Sr Sra Srta Sres Sras Dra Dres Dña Ud Uds Lic Ing Arq Prof Profa Exmo Exma Ilmo".split(" "),
  // French
  ..."M MM Mme Mmes Mlle Mgr".split(" "),
  // Italian
  ..."Sig Sigg Dott Avv Geom Rag Egr Gent Spett".split(" "),
  // German
  ..."Hr Fr Frl Dipl".split(" "),
  // Hindi
  ..."डॉ श्री प्रो कु".split(" "),
  // Greek
  ..."κ κα Δρ".split(" "),
];

/** Always go on: "e.g. this", "vs. that". */
export const INNER: readonly string[] = [
  ..."e.g i.e vs v.s cf viz approx ca incl excl esp resp al.gr a.k.a w.r.t N.B n.b".split(" "),
  ..."p.ej p.e p.ex v.g av c.-à-d z.B bzw d.h u.a sog ggf evtl s.v cfr π.χ δηλ т.е т.к напр".split(" "),
];

/** Go on before a number ("No. 5", "pp. 3"), else end like a word ("I said no."). */
export const NUMBERED: readonly string[] = [
  ..."no nos nr núm num n nº fig figs eq eqs vol vols ch chap sec sect art arts p pp pg pag pág par para".split(
    " ",
  ),
  ..."op ex ver v tel ext cap abs jan feb mar apr jun jul aug sep sept oct nov dec ene abr ago dic".split(
    " ",
  ),
];

/** End a sentence before any capital, save what belongs to a time: "at 5 p.m. Then", not "5 p.m. Monday". */
export const CLOSING: readonly string[] = [
  ..."etc ecc usw a.m p.m u.s.w et.al al v.Chr n.Chr a.C d.C κ.λπ и.т.д".split(" "),
];

/** End a sentence only before a word that commonly begins one: "Acme Inc. The firm", not "Acme Inc. Europe". */
export const OPEN: readonly string[] = [
  ..."Inc Ltd Corp Co Bros Jr Jnr Snr Esq St Mt Ft Ave Av Blvd Rd Ln Hwy Dept Univ Assn Est Ph.D Ed.D".split(
    " ",
  ),
  ..."Cía S.A S.L S.p.A S.r.l Ltda GmbH.Co Mon Tue Tues Wed Thu Thur Thurs Fri".split(" "),
];

/** After a time of day these go on: "5 p.m. Eastern", "9 a.m. Monday". */
export const TIME_COMPANIONS: readonly string[] = [
  ..."Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July".split(
    " ",
  ),
  ..."August September October November December Eastern Central Mountain Pacific Atlantic Greenwich".split(
    " ",
  ),
  ..."EST EDT CST CDT MST MDT PST PDT ET CT MT PT GMT UTC BST CET CEST IST JST AEST AEDT".split(" "),
];

/** Words that commonly begin a sentence, by language. */
export const STARTERS: readonly string[] = [
  ..."The A An I He She It We You They This That These Those There Here If When While As But And So Or Yet".split(
    " ",
  ),
  ..."However Then Now What How Why Who Where Which Is Are Was Were Do Does Did Can Could Will Would Should".split(
    " ",
  ),
  ..."My Your His Her Its Our Their After Before Although Though Because Since Also Please Yes Not Let Next".split(
    " ",
  ),
  ..."Finally First Second Third Meanwhile To From With By In On At For Some Many Most All Each Every One".split(
    " ",
  ),
  ..."Another Once Today Tomorrow Yesterday Don't Didn't Can't Won't Isn't Have Has Had Maybe Perhaps".split(
    " ",
  ),
  ..."Try Take Make Use See Look Ask Call Tell Thanks Thank Sorry Well Oh Ok Okay Nobody Everyone Both".split(
    " ",
  ),
  ..."El La Los Las Un Una Yo Él Ella Ellos Es Esto Este Esta Pero Y Si Cuando Después Ahora También".split(
    " ",
  ),
  ..."Le Les Une Il Elle On Nous Vous Ils Elles Ce C'est Cela Mais Et Je Tu Puis Donc Ensuite".split(" "),
  ..."Lo Gli Uno È Ma Se Poi Quando Dopo O Os As Um Uma Eu Ele Ela É Mas Depois Der Die Das Es Er Sie".split(
    " ",
  ),
];

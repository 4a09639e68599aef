/**
 * What the Bedrock stand-in says: a few answers of 2 to 12 sentences, chosen by words of the prompt, else by the
 * prompt's hash, so that the same prompt always gets the same answer. The sentences hold what makes speech hard:
 * numbers, abbreviations, quotations, dashes.
 */
import { createHash } from "node:crypto";

interface BuiltInAnswer {
  /** Any of these in the prompt chooses the answer; the first answer that matches wins. */
  readonly keywords: RegExp;
  readonly sentences: readonly string[];
}

export const BUILT_IN_ANSWERS: readonly BuiltInAnswer[] = [
  {
    keywords: /\b(voice agent|streams?|streaming|latency|faster|bidi)\b/i,
    // Spoken answers are short: under 18 s of speech, so that a comparison of three modes stays under a minute.
    sentences: [
      "Because it speaks while it is still thinking.",
      "You hear each sentence as soon as it is done.",
      "A plain agent waits for its last word.",
      "The longer the answer, the longer the silence.",
      "Streaming leaves the answer and shortens the wait.",
      "And the wait is what we notice.",
    ],
  },
  {
    keywords: /\b(hello|hi|hey|good (morning|evening)|who are you)\b/i,
    sentences: [
      "Hello, and thank you for asking.",
      "I am a voice assistant that runs on this machine, so tell me what you would like to hear about.",
    ],
  },
  {
    keywords: /\b(coffee|espresso|brew)\b/i,
    sentences: [
      "For a good cup of coffee, use about 60 grams of freshly ground beans for each litre of water.",
      "The water should be just off the boil, near 94 degrees, and the pour slow and even.",
      "After three to four minutes it is done, and every minute more makes it bitter.",
    ],
  },
  {
    keywords: /\b(moon|tides?|ocean|sea)\b/i,
    sentences: [
      "The tides come from the pull of the Moon and, to a lesser part, of the Sun.",
      "Water on the near side is drawn a little more strongly than the Earth beneath it, and water on the far side a little less.",
      "So there are two bulges of water, and as the Earth turns, most coasts pass through both in a day.",
      "When Sun and Moon stand in one line, at new and full moon, the tides are at their highest.",
    ],
  },
  {
    keywords: /\b(bread|bake|baking|sourdough)\b/i,
    sentences: [
      "Baking bread at home takes little work and much waiting.",
      "Mix 500 grams of flour with 350 grams of water, ten grams of salt and a little yeast.",
      "Leave the dough covered for an hour, then fold it over itself a few times.",
      "Fold it again two or three times in the next hours; that gives it strength.",
      "Shape it into a ball, and let it rise once more while the oven heats.",
      "The oven should be as hot as it can be, with a heavy pot inside.",
      "Bake it for thirty minutes under the lid, and fifteen without.",
      "Then comes the hardest part: let it cool before you cut it.",
    ],
  },
  {
    keywords: /\b(train|railway|journey|travel|story)\b/i,
    sentences: [
      "The night train left at 9:40, just as the rain began.",
      "Dr. Ellis had the window seat, a thermos of tea, and a letter that she had not yet opened.",
      "Across from her sat a boy with a violin case on his knees.",
      '"Are you a musician?" she asked.',
      '"Not yet," he said, and looked out at the dark fields.',
      "For an hour nobody spoke, and the wheels kept their even time.",
      "At the border the train stood still, and somebody walked along the carriages with a lamp.",
      "The boy opened the case, took out the violin, and began to play very softly.",
      "It was a tune that Dr. Ellis had not heard for thirty years.",
      "She reached for the letter, and now she knew whose hand had written it.",
      "When the train moved again, she was smiling.",
      "In the morning they both got off at the same small station by the sea.",
    ],
  },
];

/** @param prompt what the caller asked last; it is only looked at, never logged. */
export function chooseAnswer(prompt: string): string {
  const chosen =
    BUILT_IN_ANSWERS.find(({ keywords }) => keywords.test(prompt)) ??
    BUILT_IN_ANSWERS[
      createHash("sha256").update(prompt.trim()).digest().readUInt32BE() % BUILT_IN_ANSWERS.length
    ]!;
  return chosen.sentences.join(" ");
}

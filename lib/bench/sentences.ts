/** What the benchmarks have spoken: plain English sentences of 60 to 120 characters, as an agent would answer. */
export const BENCH_SENTENCES: readonly string[] = [
  "The museum opens at nine in the morning and closes an hour after sunset.",
  "If you leave now, you will arrive before the rain that is expected in the afternoon.",
  "Your order was packed this morning and should reach you by the end of the week.",
  "The second train is slower, but it stops closer to the hotel and costs a little less.",
  "I have moved the meeting to Thursday and told everyone who had accepted the invitation.",
  "A cup of tea keeps warm longer when the pot has been rinsed with hot water beforehand.",
  "There are three restaurants nearby, and the one by the river has a table free at eight.",
  "To reset the router, hold the small button on its back for ten seconds and let it start again.",
  "The river rises in the mountains, crosses two countries and ends in a wide and shallow delta.",
  "Most people notice the pause before an answer long before they notice how fast it is spoken.",
];

/** Several sentences that a caller sends in one piece. */
export const BENCH_PARAGRAPH = BENCH_SENTENCES.slice(0, 5).join(" ");

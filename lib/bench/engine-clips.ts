/**
 * What the engine and its peers speak in `speech-bench engine` and `quality`: 24 texts of 2 to 60 words, as an agent would
 * answer. Short words that every dictionary has and no digits, so that a recognizer's errors are those of the sound. The
 * list is fixed: figures of two versions can be compared.
 */
export const ENGINE_CLIPS: readonly string[] = [
  "Good morning.",
  "Yes, of course.",
  "I will check that.",
  "The door is still open.",
  "Please wait for a short moment.",
  "Your table will be ready at seven.",
  "The next train leaves from the other side.",
  "We can meet at the station before the show.",
  "It will be warm and dry until the late evening.",
  "My sister bought a red bicycle for her son last summer.",
  "You should keep the paper, because the shop will ask for it.",
  "The doctor can see you on Monday morning or in the late afternoon.",
  "If you turn left at the bridge, the old market is on your right.",
  "The second train is slower, but it stops closer to the hotel and costs a little less.",
  "The water in the lake is still cold, so most people only walk along the shore and enjoy the quiet.",
  "I have moved the meeting to Thursday and told everyone that the small room on the first floor will be free all day.",
  "A cup of tea keeps warm much longer when the pot has been washed with hot water before the leaves are put into it.",
  "There are three places nearby where you can eat, and the one beside the river has a table free at eight, if you do not mind the wind.",
  "The garden behind the house was planted by my grandfather, who believed that every child should know how bread, apples and honey come to the table each day of the year.",
  "When the storm had passed, the people of the village came out of their houses, looked at the broken trees along the road, and began to clear the way so that the school could open again in the morning.",
  "You can change your order until noon today by calling the shop, and if the new price is lower than what you paid before, the money will be sent back to your card within a week, without any need for you to write to us.",
  "The museum opens at nine in the morning and closes an hour after the sun goes down, but the upper floor is closed this month, because the roof is being repaired, so you may want to visit the garden first and come back to the large hall when the school groups have gone home.",
  "To make good coffee at home, start with fresh water and beans that were roasted not long ago, grind them just before you begin, warm the pot, pour the water slowly in small circles, wait until it has run through, and then drink it soon, because the taste is best in the first few minutes and then fades.",
  "Long before there were maps of the whole coast, sailors found their way by the stars, by the color of the water, by the birds that flew home to land in the evening, and by stories that the old men told the young ones each night at the fire, so that nobody who listened with care was ever lost there.",
];

/** @param count 2 to 24, spread over the lengths; the shortest and the longest are always among them. */
export function chosenClips(count: number): readonly string[] {
  const last = ENGINE_CLIPS.length - 1;
  return Array.from({ length: count }, (_, index) => ENGINE_CLIPS[Math.round((index * last) / (count - 1))]!);
}

/** How this program names itself to the services it calls; they count and debug by it. */
export const USER_AGENT = `kokoro-agent-voice (Node.js ${process.versions.node}; ${process.platform})`;

"""pipecat's aggregator of sentences, as its pipelines use it before a TTS service."""
import asyncio

from chunker_wire import serve
from pipecat.utils.text.simple_text_aggregator import SimpleTextAggregator


async def split(fragments):
    aggregator = SimpleTextAggregator()
    pieces = []
    for fragment in fragments:
        async for piece in aggregator.aggregate(fragment):
            pieces.append(piece.text)
    rest = await aggregator.flush()
    return pieces + ([rest.text] if rest else [])


serve(lambda fragments: asyncio.run(split(fragments)))

"""stream2sentence, with nothing joined because it is short."""
from chunker_wire import serve
from stream2sentence import generate_sentences

SHORTEST = {"minimum_sentence_length": 1, "minimum_first_fragment_length": 1}

serve(lambda fragments: list(generate_sentences(iter(fragments), **SHORTEST)))

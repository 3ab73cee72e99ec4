"""sentence-transformers, with models of attend: scripts run with another import.

    from attend.sentence_transformers import CrossEncoder, SentenceTransformer

    model = SentenceTransformer("all-MiniLM-L6-v2")
    embeddings = model.encode(["The old dog sleeps.", "An old dog is sleeping."])
    print(model.similarity(embeddings, embeddings))

Names and defaults of arguments are those of sentence-transformers; paths are those of model files
or of directories of Hugging Face. What it has and this module does not is an AttributeError, and an
argument that attend does not have is refused by its name. Tensors need PyTorch; without it,
``similarity`` and the vectors of tokens are arrays of NumPy.
"""

from attend.sentence_transformers._cross_encoder import CrossEncoder
from attend.sentence_transformers._sentence_transformer import SentenceTransformer

__all__ = ["CrossEncoder", "SentenceTransformer"]

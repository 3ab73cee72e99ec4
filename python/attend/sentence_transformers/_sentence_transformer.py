"""SentenceTransformer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, cast

from attend._common import given
from attend._deprecated import check_loading
from attend._errors import ConfigError
from attend._options import TextPreparation
from attend.embedder import Embedder, Pooling, Precision, Similarity
from attend.sentence_transformers._arguments import (
    Function,
    Path,
    checked_path,
    converted,
    refuse_all,
    tensor,
    with_sentences,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

OutputValue = Literal["sentence_embedding", "token_embeddings"]


def _with_prompt(usual: str, encode: Function) -> Function:
    """``encode`` with another prompt unless the call names one."""

    @wraps(encode)
    def wrapped(
        self: Any,
        inputs: Any,
        prompt_name: str | None = None,
        prompt: str | None = None,
        *arguments: Any,
        **options: Any,
    ) -> Any:
        if prompt_name is None and prompt is None:
            prompt_name = usual
        return self.encode(inputs, prompt_name, prompt, *arguments, **options)

    wrapped.__name__ = f"encode_{usual}"
    wrapped.__doc__ = f"``encode`` with the prompt {usual!r}, empty unless the model has one."
    return with_sentences(cast(Function, wrapped))


class SentenceTransformer(Embedder):
    """An embedder of attend, with the calls of sentence-transformers."""

    _package = "attend.sentence_transformers"

    def __init__(
        self,
        model_name_or_path: Path | None = None,
        *,
        modules: None = None,
        device: str | None = None,
        prompts: Mapping[str, str] | None = None,
        default_prompt_name: str | None = None,
        cache_folder: str | None = None,
        trust_remote_code: bool = False,
        revision: str | None = None,
        local_files_only: bool = False,
        token: bool | str | None = None,
        use_auth_token: bool | str | None = None,
        model_kwargs: dict[str, Any] | None = None,
        processor_kwargs: dict[str, Any] | None = None,
        config_kwargs: dict[str, Any] | None = None,
        model_card_data: object = None,
        backend: str = "torch",
        similarity_fn_name: Similarity | None = None,
        truncate_dim: int | None = None,
    ) -> None:
        """Reads any model of attend, or a directory of Hugging Face: see ``attend.load``.

        - ``prompts``: added to those of the model, in place of those of the same names
        - ``default_prompt_name``: in place of that of the model
        - ``similarity_fn_name``: "cosine", "dot", "euclidean" or "manhattan"; default: as the
          model says
        - ``truncate_dim``: ``encode`` keeps the first dimensions only
        - ``cache_folder``, ``trust_remote_code``, ``local_files_only``, ``token``,
          ``use_auth_token`` and ``model_card_data`` change nothing: attend downloads nothing and
          runs no code of a model

        Of the other arguments attend has only the defaults.
        """
        refuse_all(modules=modules, revision=revision, model_kwargs=model_kwargs)
        refuse_all(processor_kwargs=processor_kwargs, config_kwargs=config_kwargs)
        super().__init__(
            checked_path(model_name_or_path, device, backend),
            prompts=prompts,
            default_prompt_name=default_prompt_name,
            similarity_fn_name=similarity_fn_name,
            truncate_dim=truncate_dim,
        )

    @classmethod
    def _reopened(cls, path: str, threads: int, changes: dict[str, Any]) -> SentenceTransformer:
        return cls(path)

    def get_embedding_dimension(self) -> int:
        """The number of elements of a vector of ``encode``: ``width``, or ``truncate_dim``."""
        return self.width if self.truncate_dim is None else min(self.width, self.truncate_dim)

    get_sentence_embedding_dimension = get_embedding_dimension

    @with_sentences
    def encode(
        self,
        inputs: str | Iterable[str],
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        output_value: OutputValue = "sentence_embedding",
        precision: Precision = "float32",
        convert_to_numpy: bool = True,
        convert_to_tensor: bool = False,
        device: str | None = None,
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
        pool: None = None,
        chunk_size: int | None = None,
        *,
        layer: int | None = None,
        pooling: Pooling | None = None,
        split_special_tokens: bool | None = None,
        **preparation: Unpack[TextPreparation],
    ) -> Any:
        """The vectors of texts: float32 [n, width], or [width] of one text.

        - ``output_value="token_embeddings"``: a list of [tokens, width], special tokens included
        - ``convert_to_tensor``: a tensor of PyTorch that shares the memory;
          ``convert_to_numpy=False``: a list of them
        - ``show_progress_bar``, ``device`` and ``chunk_size`` change nothing: attend computes on
          the CPU, with all cores

        The other arguments are those of ``attend.Embedder.encode``. Raises ConfigError for a layer
        or a prompt that the model does not have.
        """
        check_loading(device)
        refuse_all(pool=pool)
        single = isinstance(inputs, str)
        if output_value == "token_embeddings":
            options = given(
                prompt_text=self._prompt(prompt, prompt_name),
                batch_size=batch_size,
                layer=layer,
                split_special_tokens=split_special_tokens,
                special_tokens=True,
                **preparation,
            )
            tokens: list[Any] = self._tokens([inputs] if isinstance(inputs, str) else inputs, options)
            if isinstance(self, SentenceTransformer):  # not an Embedder, by its old call
                tokens = [*map(tensor, tokens)]
            return tokens[0] if single else tokens
        if output_value != "sentence_embedding":
            raise ConfigError(
                "output_value: expected sentence_embedding or token_embeddings, "
                f"got {output_value!r}"
            )
        vectors = Embedder.encode(
            self, inputs, prompt_name, prompt, batch_size,
            normalize_embeddings=normalize_embeddings, truncate_dim=truncate_dim,
            precision=precision, layer=layer, pooling=pooling,
            split_special_tokens=split_special_tokens, **preparation,
        )  # fmt: skip
        return converted(vectors, convert_to_numpy, convert_to_tensor, single)

    encode_query = _with_prompt("query", encode)  # type: ignore[assignment]
    encode_document = _with_prompt("document", encode)  # type: ignore[assignment]

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """The similarity of each vector of ``embeddings1`` with each of ``embeddings2``: [n, m],
        by ``similarity_fn_name``. Distances (euclidean, manhattan) have a minus."""
        return tensor(super().similarity(embeddings1, embeddings2))

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Any:
        """That of each vector of ``embeddings1`` with the one at the same place: [n]."""
        return tensor(super().similarity_pairwise(embeddings1, embeddings2))

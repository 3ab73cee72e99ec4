"""Cases: the whole encoder-decoder, its training, a decoder-only language model."""

import math
import unittest.mock

import torch
from torch import nn
from torch.nn import functional as F

from goldens.golden import D, HEADS, PAD, VOCAB, case, causal, padding, real_positions, sinusoids
from goldens.layers import layer_arguments, layer_settings


def embed(embedding, ids):
    return embedding(ids) * math.sqrt(D) + sinusoids(ids.shape[1], D)


def smoothed_loss(golden, logits, targets):
    smoothing = 0.1
    golden.settings["label_smoothing"] = smoothing
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PAD, label_smoothing=smoothing)


class Translator(nn.Module):
    """nn.Transformer between embeddings. Post-norm stacks end without a norm of their own, as in the paper; pre-norm ones need it."""

    def __init__(self, norm_first, activation, src_vocab, tgt_vocab, tied):
        super().__init__()
        arguments = layer_arguments(norm_first, activation)
        norm = (lambda: nn.LayerNorm(D)) if norm_first else (lambda: None)
        encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(**arguments), 2, norm(), enable_nested_tensor=False)
        decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(**arguments), 2, norm())
        self.stacks = nn.Transformer(D, HEADS, custom_encoder=encoder, custom_decoder=decoder, batch_first=True)
        if tied:
            self.embedding = nn.Embedding(tgt_vocab, D)
        else:
            self.src_embedding, self.tgt_embedding = nn.Embedding(src_vocab, D), nn.Embedding(tgt_vocab, D)
            self.output_proj = nn.Linear(D, tgt_vocab, bias=False)
        self.tied = tied

    def forward(self, src, src_lengths, tgt, tgt_lengths):
        src_embedding, tgt_embedding = (self.embedding,) * 2 if self.tied else (self.src_embedding, self.tgt_embedding)
        src_padding, tgt_padding = padding(src_lengths, src.shape[1]), padding(tgt_lengths, tgt.shape[1])
        y = self.stacks(embed(src_embedding, src), embed(tgt_embedding, tgt), tgt_mask=causal(tgt.shape[1]),
                        src_key_padding_mask=src_padding, tgt_key_padding_mask=tgt_padding, memory_key_padding_mask=src_padding)
        return F.linear(y, self.embedding.weight if self.tied else self.output_proj.weight)

    def named(self):
        return [(name.removeprefix("stacks."), p) for name, p in self.named_parameters()]


def pair_of_batches(golden, src_vocab=VOCAB, tgt_vocab=VOCAB):
    """src, src_lengths, tgt_in, tgt_out, tgt_lengths of a padded batch of three pairs."""
    src_lengths, tgt_lengths = torch.tensor([6, 3, 5]), torch.tensor([4, 6, 2])
    src = golden.ids(3, 6, high=src_vocab).masked_fill(padding(src_lengths, 6), PAD)
    tgt = golden.ids(3, 7, high=tgt_vocab)
    hidden = padding(tgt_lengths, 6)
    return src, src_lengths, tgt[:, :-1].masked_fill(hidden, PAD), tgt[:, 1:].masked_fill(hidden, PAD), tgt_lengths


PAIR_NAMES = ("src", "src_lengths", "tgt_in", "tgt_out", "tgt_lengths")
ADAM = dict(lr=1e-3, betas=(0.9, 0.98), eps=1e-9)


@case("transformer_post_tied", norm_first=False)
@case("transformer_pre_tied", norm_first=True)
@case("transformer_post_untied", norm_first=False, activation="gelu", src_vocab=19, tied=False)
def transformer(golden, norm_first, activation="relu", src_vocab=VOCAB, tied=True):
    layer_settings(golden, norm_first, activation)
    golden.settings.update(n_encoder_layers=2, n_decoder_layers=2, tie_embeddings=tied)
    model = golden.randomise(Translator(norm_first, activation, src_vocab, VOCAB, tied))
    batch = pair_of_batches(golden, src_vocab)
    for name, tensor in zip(PAIR_NAMES, batch):
        golden.input(name, tensor)
    src, src_lengths, tgt_in, tgt_out, tgt_lengths = batch
    logits = model(src, src_lengths, tgt_in, tgt_lengths)
    loss = smoothed_loss(golden, logits, tgt_out)
    loss.backward()
    golden.put("out.logits", logits * real_positions(tgt_lengths, 6).unsqueeze(-1))
    golden.put("out.loss", loss.reshape(1))
    golden.parameters(model.named())


BOS, EOS = 1, 2


def outputs_behind(model, src, prefix, most):
    """Every output that begins with `prefix`, has at most `most` more tokens and an end: (log-probability of those and the end, tokens)."""
    tokens = [t for t in range(VOCAB) if t != EOS]
    lengths, outputs = torch.tensor([src.shape[1]]), []
    for count in range(most + 1):
        more = torch.cartesian_prod(*[torch.tensor(tokens)] * count).reshape(-1, count) if count else torch.zeros(1, 0, dtype=torch.int64)
        written = torch.cat([prefix.expand(len(more), -1), more], 1)
        read = torch.cat([torch.full((len(more), 1), BOS), written], 1)
        batch = len(more)
        logits = model(src.expand(batch, -1), lengths.expand(batch), read, torch.full((batch,), read.shape[1]))
        following = torch.cat([written, torch.full((batch, 1), EOS)], 1)
        scores = logits.log_softmax(-1).gather(2, following.unsqueeze(-1)).squeeze(-1)[:, prefix.shape[0]:]
        outputs += zip(scores.sum(1).tolist(), following[:, :-1].tolist())
    return outputs


@case("forced_prefix")
def forced_prefix(golden):
    layer_settings(golden, True, "relu")
    golden.settings.update(n_encoder_layers=2, n_decoder_layers=2, tie_embeddings=True, bos=BOS, eos=EOS, most=2)
    model = golden.randomise(Translator(True, "relu", VOCAB, VOCAB, tied=True)).eval()
    src_lengths, prefix_lengths, best = golden.input("src_lengths", torch.tensor([6, 3, 5])), torch.tensor([2, 1, 3]), 5
    src = golden.input("src", golden.ids(3, 6, low=3).masked_fill(padding(src_lengths, 6), PAD))
    prefix = golden.input("prefix", golden.ids(3, 3, low=3).masked_fill(padding(prefix_lengths, 3), PAD))
    golden.input("prefix_lengths", prefix_lengths)
    scores, ids, lengths = torch.zeros(3, best).double(), torch.full((3, best, 5), PAD), torch.zeros(3, best, dtype=torch.int64)
    for i in range(3):
        with torch.no_grad():
            outputs = outputs_behind(model, src[i:i + 1, :src_lengths[i]], prefix[i, :prefix_lengths[i]], 2)
        outputs.sort(key=lambda output: -output[0] / (len(output[1]) + 1))
        for k, (score, written) in enumerate(outputs[:best]):
            scores[i, k], lengths[i, k] = score, len(written)
            ids[i, k, :len(written)] = torch.tensor(written)
    golden.put("out.log_probabilities", scores)
    golden.put("out.ids", ids)
    golden.put("out.lengths", lengths)
    golden.parameters(model.named(), gradients=False)


def train_ten_steps(golden, optimizers):
    """Batches and losses of ten steps of transformer_post_tied's shape; optimizers(model) are called one after the other."""
    layer_settings(golden, False, "relu")
    golden.settings.update(n_encoder_layers=2, n_decoder_layers=2, tie_embeddings=True)
    golden.settings.update(learning_rate=ADAM["lr"], beta1=ADAM["betas"][0], beta2=ADAM["betas"][1], epsilon=ADAM["eps"])
    model = golden.randomise(Translator(False, "relu", VOCAB, VOCAB, tied=True))
    golden.parameters(model.named(), gradients=False)
    optimizers = optimizers(model)
    batches, losses = [pair_of_batches(golden) for _ in range(10)], []
    for src, src_lengths, tgt_in, tgt_out, tgt_lengths in batches:
        model.zero_grad()
        loss = smoothed_loss(golden, model(src, src_lengths, tgt_in, tgt_lengths), tgt_out)
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        losses.append(loss.detach())
    for name, tensors in zip(PAIR_NAMES, zip(*batches)):
        golden.put("in." + name, torch.stack(tensors))
    golden.put("out.losses", torch.stack(losses))


@case("adam_ten_steps")
def adam_ten_steps(golden):
    train_ten_steps(golden, lambda model: [torch.optim.Adam(model.parameters(), **ADAM)])


class PerMatrix(torch.optim.Muon):
    """Muon that takes PyTorch's packed Q, K, V projection for the three matrices it is."""

    def __init__(self, matrices, **settings):
        self.packed = [w for w in matrices if w.shape[0] == 3 * w.shape[1]]
        self.parts = [nn.Parameter(part.detach()) for w in self.packed for part in w.chunk(3)]  # views
        super().__init__([w for w in matrices if w.shape[0] != 3 * w.shape[1]] + self.parts, **settings)

    def step(self):
        for i, w in enumerate(self.packed):
            for part, gradient in zip(self.parts[3 * i:3 * i + 3], w.grad.chunk(3)):
                part.grad = gradient
        # PyTorch rounds to bfloat16 on the way, on purpose; here it shall not
        with unittest.mock.patch.object(torch.Tensor, "bfloat16", lambda x: x.clone()):
            super().step()


@case("muon_ten_steps")
def muon_ten_steps(golden):
    def optimizers(model):
        inner = [p for name, p in model.named_parameters() if p.ndim == 2 and "embedding" not in name]
        rest = [p for name, p in model.named_parameters() if p.ndim != 2 or "embedding" in name]
        muon = PerMatrix(inner, lr=ADAM["lr"], weight_decay=0, momentum=0.95, adjust_lr_fn="match_rms_adamw")
        return [muon, torch.optim.Adam(rest, **ADAM)]

    golden.settings.update(momentum=0.95)
    train_ten_steps(golden, optimizers)


def embed_with_previous(model, ids):
    x = model["embedding"](ids) * math.sqrt(D) + model["positions"].weight[:ids.shape[1]]
    for j, projection in enumerate(model["previous"]):
        earlier = F.pad(ids, (j + 1, 0), value=PAD)[:, :ids.shape[1]]
        x = x + projection(model["embedding"](earlier) * math.sqrt(D))
    return x


@case("language_model_post", norm_first=False)
@case("language_model_pre", norm_first=True)
@case("language_model_previous", norm_first=True, previous_tokens=2)
def language_model(golden, norm_first, previous_tokens=0):
    layer_settings(golden, norm_first, "gelu")
    golden.settings.update(n_layers=2, tie_embeddings=previous_tokens == 0)
    layer = nn.TransformerEncoderLayer(**layer_arguments(norm_first, "gelu"))
    stack = nn.TransformerEncoder(layer, 2, nn.LayerNorm(D) if norm_first else None, enable_nested_tensor=False)
    modules = {"embedding": nn.Embedding(VOCAB, D), "decoder": stack}
    if previous_tokens > 0:
        modules["positions"] = nn.Embedding(8, D)
        modules["previous"] = nn.ModuleList(nn.Linear(D, D, bias=False) for _ in range(previous_tokens))
        modules["output_proj"] = nn.Linear(D, VOCAB, bias=False)
        golden.settings.update(previous_tokens=previous_tokens, max_positions=8)
    model = golden.randomise(nn.ModuleDict(modules))
    lengths = golden.input("lengths", torch.tensor([6, 3, 5]))
    text, hidden = golden.ids(3, 7), padding(lengths, 6)
    ids = golden.input("ids", text[:, :-1].masked_fill(hidden, PAD))
    targets = golden.input("targets", text[:, 1:].masked_fill(hidden, PAD))
    x = embed_with_previous(model, ids) if previous_tokens > 0 else embed(model["embedding"], ids)
    y = model["decoder"](x, mask=causal(6), src_key_padding_mask=hidden)
    logits = F.linear(y, model["output_proj" if previous_tokens > 0 else "embedding"].weight)
    loss = smoothed_loss(golden, logits, targets)
    loss.backward()
    golden.put("out.logits", logits * real_positions(lengths, 6).unsqueeze(-1))
    golden.put("out.loss", loss.reshape(1))
    golden.parameters(model.named_parameters())

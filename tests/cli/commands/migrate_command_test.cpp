// attend migrate: recipes that attend train and attend translate accept.
#include "cli/small_run.h"

namespace attend {
namespace {

class MigrateCommand : public SmallRunTest {
 protected:
  // attend migrate NAME, then a training with the recipe, on the small text.
  void expect_to_train(const std::string& name, const std::string& content) {
    SCOPED_TRACE(name);
    ASSERT_EQ(run({"migrate", write(name, content)}), kSuccess) << error_;
    write("recipe.toml", out_);
    const std::string recipe = out_;
    ASSERT_EQ(run({"train", "translation", "--config", path("recipe.toml"), "--data", folder_,
                   "--out", path(name + ".run"), "--max-steps", "2", "--threads", "1"}),
              kSuccess)
        << error_ << recipe;
    EXPECT_TRUE(std::filesystem::exists(model(name + ".run")));
  }
};

const std::string kMarian =
    "type: transformer\nmodel: m.npz\ntrain-sets: [train.en, train.de]\n"
    "valid-sets: [valid.en, valid.de]\nvocabs: [v.spm, v.spm]\ndim-vocabs: [200, 200]\n"
    "dim-emb: 16\ntransformer-heads: 2\ntransformer-dim-ffn: 16\nenc-depth: 1\ndec-depth: 1\n"
    "tied-embeddings-all: true\nmini-batch-words: 200\noptimizer-delay: 2\nlr-warmup: 10\n"
    "lr-decay-inv-sqrt: 10\nexponential-smoothing: 1e-4\nlabel-smoothing: 0.1\nafter: 100u\n"
    "clip-norm: 0\nbeam-size: 2\n";

TEST_F(MigrateCommand, MakesARecipeOfMarian) {
  expect_to_train("marian.yml", kMarian);
  expect_to_train("words.yml",
                  "type: transformer\ntrain-sets: [train.en, train.de]\nvocabs: [a.yml, b.yml]\n"
                  "dim-vocabs: [40, 40]\ndim-emb: 8\ntransformer-heads: 2\ntransformer-dim-ffn: 8\n"
                  "transformer-preprocess: n\ntransformer-postprocess: da\n"
                  "transformer-postprocess-top: n\nvalid-sets: [valid.en, valid.de]\n");
}

TEST_F(MigrateCommand, MakesARecipeOfFairseq) {
  expect_to_train("train.sh",
                  "fairseq-preprocess -s en -t de --trainpref train --validpref valid "
                  "--nwordssrc 40 --nwordstgt 40\n"
                  "fairseq-train data-bin --arch transformer_tiny --optimizer adam "
                  "--adam-betas '(0.9, 0.98)' --lr 5e-4 --lr-scheduler inverse_sqrt "
                  "--warmup-updates 10 --criterion label_smoothed_cross_entropy "
                  "--label-smoothing 0.1 --max-tokens 200 --max-update 100 --dropout 0.3\n");
}

TEST_F(MigrateCommand, MakesARecipeOfOpenNmt) {
  expect_to_train("onmt.yaml",
                  "data:\n  corpus_1:\n    path_src: train.en\n    path_tgt: train.de\n"
                  "  valid:\n    path_src: valid.en\n    path_tgt: valid.de\n"
                  "share_vocab: true\nsrc_vocab_size: 200\ntgt_vocab_size: 200\n"
                  "transforms: [sentencepiece]\nencoder_type: transformer\n"
                  "decoder_type: transformer\nposition_encoding: true\nlayers: 1\nheads: 2\n"
                  "hidden_size: 16\ntransformer_ff: 16\nshare_embeddings: true\n"
                  "share_decoder_embeddings: true\noptim: adam\ndecay_method: noam\n"
                  "learning_rate: 2\nwarmup_steps: 10\nbatch_type: tokens\nbatch_size: 200\n"
                  "train_steps: 100\nnormalization: tokens\n");
}

TEST_F(MigrateCommand, MakesRecipesOfAllPresetsThatAreRead) {
  std::vector<std::string> files;
  for (const std::string task : {"transformer-base", "transformer-big", "transformer-base-prenorm",
                                 "transformer-big-prenorm"})
    files.push_back(write(task + ".yml", "task: " + task + "\n"));
  for (const std::string arch :
       {"transformer", "transformer_tiny", "transformer_iwslt_de_en", "transformer_wmt_en_de",
        "transformer_vaswani_wmt_en_de_big", "transformer_vaswani_wmt_en_fr_big",
        "transformer_wmt_en_de_big", "transformer_wmt_en_de_big_t2t", "transformer_lm",
        "transformer_lm_big", "transformer_lm_gpt"})
    files.push_back(write(arch + ".sh", "fairseq-train d --arch " + arch + "\n"));
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    ASSERT_EQ(run({"migrate", file}), kSuccess) << error_;
    EXPECT_EQ(out_.find("# unknown"), std::string::npos) << out_;
    write("recipe.toml", out_);
    const std::string task = file.find("_lm") == std::string::npos ? "translation" : "lm";
    EXPECT_EQ(run({"train", task, "--config", path("recipe.toml"), "--print-config"}), kSuccess)
        << error_;
  }
}

TEST_F(MigrateCommand, MakesARecipeOfADecoder) {
  ASSERT_EQ(run(training("run", {"--max-steps", "2"})), kSuccess) << error_;
  for (const auto& [name, content] : std::vector<std::pair<std::string, std::string>>{
           {"decoder.yml",
            "models: [m.npz]\nvocabs: [a, b]\nbeam-size: 2\nnormalize: 1\nmini-batch: 4\n"
            "maxi-batch: 10\nn-best: true\ncpu-threads: 1\n"},
           {"generate.sh", "fairseq-generate d --path a.pt --beam 2 --lenpen 0.5 --nbest 2\n"},
           {"translate.yaml", "model: [m.pt]\nsrc: in.txt\nbeam_size: 2\nn_best: 2\n"},
           {"draw.yaml", "model: m.pt\nsrc: a\nrandom_sampling_topk: 3\nseed: 2\n"},
           {"sample.sh",
            "fairseq-generate d --path a.pt --sampling --sampling-topk 5 --beam 5\n"}}) {
    ASSERT_EQ(run({"migrate", write(name, content)}), kSuccess) << error_;
    write("recipe.toml", out_);
    const std::string recipe = out_;
    EXPECT_EQ(run({"translate", model("run"), "--config", path("recipe.toml")}, "The dog.\n"),
              kSuccess)
        << error_ << recipe;
  }
}

TEST_F(MigrateCommand, ReadsStandardInput) {
  EXPECT_EQ(run({"migrate", "-"}, kMarian), kSuccess) << error_;
  EXPECT_NE(out_.find("# standard input (Marian) as options of attend train translation"),
            std::string::npos)
      << out_;
}

TEST_F(MigrateCommand, TellsWhatIsWrongWithAFile) {
  expect_error({"migrate", path("absent.yml")}, {"absent.yml"});
  expect_error({"migrate", write("empty.yml", "\n")}, {"empty.yml: expected options"});
  expect_error({"migrate", write("list.yml", "- a\n- b\n")}, {"list.yml, line 1"});
  expect_error({"migrate", write("x.sh", "fairseq-train --lr \"1\n")},
               {"x.sh, line 1: expected a closing quote"});
  expect_error({"migrate", write("x.sh", "fairseq-train $DATA\n")},
               {"x.sh, line 1: expected words, found '$DATA'"});
  expect_error({"migrate", write("wide.yml", "dim-emb: -3\n")},
               {"wide.yml: dim-emb: expected a whole number"});
  expect_error({"migrate", write("big.yml", std::string(1 << 21, '#'))}, {"at most 1 MiB"});
}

}  // namespace
}  // namespace attend

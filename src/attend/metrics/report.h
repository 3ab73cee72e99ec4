// The named options of a report on translations; evaluate() and compare() are in
// attend/translation_metrics.h.
#pragma once

#include "attend/metrics.h"
#include "attend/metrics/bleu.h"
#include "attend/metrics/bootstrap.h"
#include "attend/metrics/chrf.h"
#include "attend/metrics/segments.h"
#include "attend/metrics/ter.h"

namespace attend {

template <class Visitor>
void fields(EvaluationOptions& o, Visitor&& visit) {
  fields(o.bleu, visit);
  fields(o.chrf, visit);
  fields(o.ter, visit);
  visit("bleu", o.compute_bleu, "compute BLEU");
  visit("chrf", o.compute_chrf, "compute chrF");
  visit("ter", o.compute_ter, "compute the translation edit rate (TER), of which less is better");
  visit("confidence", o.confidence, "print a 95 % bootstrap interval around each score");
  fields(o.bootstrap, visit);
}

}  // namespace attend

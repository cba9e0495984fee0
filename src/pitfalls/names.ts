// Names that say something by their form: models on a hub, headers that carry limits.
import { isSameModel } from '../readers/named-models';

/** `owner/model`: paths and served aliases say nothing about the model, two hub names do. */
const HUB_NAME = /^\w[\w.-]*\/[\w.-]+$/;

/** Two hub names whose last part is not the same: two models. */
export function areOtherModels(left: string, right: string): boolean {
  return HUB_NAME.test(left) && HUB_NAME.test(right) && !isSameModel(left, right) && !isSameModel(right, left);
}

/** inference-perf reads a request's own limits from such headers. */
export function isSloHeader(name: string): boolean {
  return /^x-slo-/i.test(name);
}

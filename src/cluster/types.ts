// What a cluster's objects say, as data: servers that may be sent to (targets), what shows that they are servers, the ways to them.

/** One object as `kubectl get -o json` prints it, of any kind and API version; every reader checks what it takes from it. */
export type KubeObject = Readonly<Record<string, unknown>>;

export type EngineName =
  | 'vllm'
  | 'sglang'
  | 'tgi'
  | 'nim'
  | 'triton'
  | 'tensorrt-llm'
  | 'dynamo'
  | 'llama.cpp'
  | 'ollama'
  | 'lmdeploy'
  | 'mlc'
  | 'max'
  | 'kserve-huggingface'
  | 'ray-serve'
  | 'simulator';

/** Why a container is taken for a server of this engine. Never by its name alone. */
export interface EngineEvidence {
  readonly engine: EngineName;
  /** Strongest first, in words for the picker: ["command `vllm serve`", "image vllm/vllm-openai"]. At least one. */
  readonly reasons: readonly string[];
  /** The container it was found in; not necessarily the pod's first. */
  readonly container: string;
  /** The model it loads, and the name it is asked by where that is another; undefined where neither args nor env say it. */
  readonly model?: string;
  readonly servedName?: string;
  /** It answers a frontend or a leader alone: part of a stack, and no target. */
  readonly silent?: true;
  /** Where it listens: the port of its flags, else of its container, else the engine's own. */
  readonly port: number;
  /** A path that answers 200 when it is ready, best first. */
  readonly readyPaths: readonly string[];
}

export type RouteKind = 'gateway' | 'router' | 'service' | 'pod';

/** A pod that a port-forward can be opened to. */
export interface ForwardPod {
  readonly name: string;
  readonly uid: string;
  readonly ready: boolean;
  /** The pod's own port, whatever the Service in front calls it. */
  readonly port: number;
}

/** One way to a target. */
export interface Route {
  readonly kind: RouteKind;
  /** As `--target` takes it after context and namespace: `svc/vllm:80`, `pod/vllm-0:8000`, `gateway/inference:80`. */
  readonly spelling: string;
  /** From inside the cluster: `http://vllm.ns.svc:80`. Undefined where nothing resolves it (a Gateway without an address). */
  readonly url?: string;
  /** Host header that a Gateway's listener or HTTPRoute asks for. */
  readonly host?: string;
  /** Path that must stand before the API's own: an HTTPRoute's prefix. */
  readonly pathPrefix?: string;
  /** Pods behind it, one of which a forward goes to; empty where it cannot be forwarded to, with the reason in `noForward`. */
  readonly pods: readonly ForwardPod[];
  /** Why a port-forward to it is refused: several ready pods (a forward reaches one), none ready, no selector, no pods known. */
  readonly noForward?: { readonly code: NoForward; readonly words: string };
  /** Steps from the entry to the pods: ["Gateway g", "HTTPRoute r", "InferencePool p"]. */
  readonly trace: readonly string[];
}

export type NoForward = 'several-pods' | 'no-ready-pod' | 'no-selector' | 'external-name';

/** A workload that serves a model. */
export interface Target {
  /** `Deployment`, `StatefulSet`, `LeaderWorkerSet`, `InferenceService`, `RayService`, `Pod`, ...: the topmost owner that was read. */
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  /** `prefill`, `decode`, `leader` where the workload has several parts. */
  readonly role?: string;
  readonly evidence: EngineEvidence;
  /** Of the workload's replicas; undefined where the object does not say. A LeaderWorkerSet counts groups. */
  readonly replicas: { readonly ready?: number; readonly wanted?: number; readonly podsEach: number };
  /** "8 x nvidia.com/gpu, NVIDIA-H100-80GB-HBM3", for one replica; undefined where none is asked for. */
  readonly accelerator?: string;
  /** Names of its pods, all of them. */
  readonly pods: readonly string[];
  /** Best first: gateway, router, service, pod. */
  readonly routes: readonly Route[];
}

/** What serves, as a stack record keeps it: the serving container's own facts, and in `other` what stands around it. */
export interface Workload {
  readonly engine?: string;
  readonly model?: string;
  readonly image?: string;
  readonly args?: string[];
  readonly env: Record<string, string>;
  readonly accelerator?: string;
  readonly replicas?: number;
  readonly parallelism?: string;
  readonly other?: Record<string, string>;
}

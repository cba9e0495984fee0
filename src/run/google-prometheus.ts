// Google Managed Prometheus: the same query API at an address of the project's, with a token from the environment.
import type { RunOptions } from './types';

export type GooglePlace =
  | { readonly ok: true; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly reason: string };

/** Google's own names: for the token (Terraform's and gcloud's users know it), the project, and another address of the service. */
const TOKEN = 'GOOGLE_OAUTH_ACCESS_TOKEN';
const PROJECTS = ['GOOGLE_CLOUD_PROJECT', 'CLOUDSDK_CORE_PROJECT', 'GCLOUD_PROJECT'];
const ADDRESS = 'CLOUDSDK_API_ENDPOINT_OVERRIDES_MONITORING';
const DEFAULT_ADDRESS = 'https://monitoring.googleapis.com';

/** Where inference-perf asks (its reference 5.9); it takes token and project from the application default credentials. */
export function googlePrometheus(env: RunOptions['env']): GooglePlace {
  const project = PROJECTS.map((name) => env[name]).find((value) => value !== undefined && value !== '');
  const token = env[TOKEN];
  const missing = [
    ...(token === undefined || token === '' ? [`${TOKEN} (gcloud auth print-access-token prints one)`] : []),
    ...(project === undefined ? [PROJECTS[0]!] : []),
  ];
  if (missing.length > 0 || project === undefined) {
    const names = missing.join(' and ');
    return { ok: false, reason: `Google Managed Prometheus was not asked: set the environment variable ${names}` };
  }
  const address = (env[ADDRESS] ?? DEFAULT_ADDRESS).replace(/\/+$/, '');
  return {
    ok: true,
    url: `${address}/v1/projects/${encodeURIComponent(project)}/location/global/prometheus`,
    headers: { authorization: `Bearer ${token}` },
  };
}

# A second reading of the public results, written apart from our readers and in another language: `python3 parity/second-reading.py CLI CORPUS`.
# Every number that `isoperf import --json` gives is looked up (or computed from the requests) here by what each tool's documentation says of
# its keys, and every number found here must be among those that import gives. Prints a line per result; exit code 1 when one differs.
import json
import math
import os
import re
import subprocess
import sys

CLI, CORPUS = sys.argv[1], sys.argv[2]
TOLERANCE = 1e-9
STATS = {'mean': 'mean', 'avg': 'mean', 'average': 'mean', 'min': 'min', 'max': 'max', 'median': 'p50', 'std': 'stdDev', 'stddev': 'stdDev', 'std_dev': 'stdDev', 'total_sum': 'total', 'sum': 'total', 'total': 'total'}


def number(value):
    if isinstance(value, bool) or value is None:
        return None
    try:
        found = float(value)
    except (TypeError, ValueError):
        return None
    return found if math.isfinite(found) else None


def stat_name(key):
    """`p99p9`, `p999` (GuideLLM) and `p99.9` are one percentile."""
    if key in STATS:
        return STATS[key]
    match = re.fullmatch(r'p(\d+)(?:[p.](\d+))?', key)
    if not match:
        return None
    whole, part = match.groups()
    return f'p{int(whole)}' + (f'.{part}' if part else '')


def stats(block, factor=1.0):
    found = {}
    for key, value in (block or {}).items():
        name, x = stat_name(key), number(value)
        if name is not None and x is not None:
            found[name] = x * factor
    return found


def single(value, factor=1.0):
    x = number(value)
    return {} if x is None else {'value': x * factor}


def at(value, *path):
    for step in path:
        if isinstance(value, list):
            value = value[step] if step < len(value) else None
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return value


def inference_perf(raw):
    ok, latency, rates = at(raw, 'successes'), at(raw, 'successes', 'latency'), at(raw, 'successes', 'throughput')
    return [
        ('ttft', stats(at(latency, 'time_to_first_token'))),
        ('tpot', stats(at(latency, 'time_per_output_token'))),
        (('token_gap', 'chunk_gap'), stats(at(latency, 'inter_token_latency'))),
        ('ntpot', stats(at(latency, 'normalized_time_per_output_token'))),
        ('e2e', stats(at(latency, 'request_latency'))),
        ('schedule_delay', stats(at(raw, 'load_summary', 'schedule_delay'))),
        ('failed_latency', stats(at(raw, 'failures', 'request_latency'))),
        ('prompt_tokens', stats(at(ok, 'prompt_len'))),
        ('prompt_tokens', stats(at(ok, 'prompt_tokens'))),
        ('output_tokens', stats(at(ok, 'output_len'))),
        ('output_tokens', stats(at(ok, 'output_tokens'))),
        ('requests_per_sec', single(at(rates, 'requests_per_sec'))),
        ('sends_per_sec', single(at(raw, 'load_summary', 'achieved_rate'))),
        ('input_tokens_per_sec', single(at(rates, 'input_tokens_per_sec'))),
        ('output_tokens_per_sec', single(at(rates, 'output_tokens_per_sec'))),
        ('total_tokens_per_sec', single(at(rates, 'total_tokens_per_sec'))),
    ]


def inference_perf_server(raw):
    ok = at(raw, 'successes')
    return [
        ('ttft', stats(at(ok, 'time_to_first_token'))),
        ('tpot', stats(at(ok, 'time_per_output_token'))),
        (('token_gap', 'chunk_gap'), stats(at(ok, 'inter_token_latency'))),
        ('e2e', stats(at(ok, 'request_latency'))),
        ('requests_per_sec', single(at(ok, 'rate'))),
    ]


def flat(raw, names):
    """vLLM and SGLang: `mean_ttft_ms`, `p99_ttft_ms`."""
    for quantity, name in names:
        block = {}
        for key in raw:
            match = re.fullmatch(r'(mean|median|std|p\d+(?:\.\d+)?)_%s_ms' % re.escape(name), key)
            if match:
                block[match.group(1)] = raw[key]
        yield quantity, stats(block, 0.001)


def means(raw):
    n = number(raw.get('completed'))
    for quantity, key in (('prompt_tokens', 'total_input_tokens'), ('output_tokens', 'total_output_tokens'), ('output_tokens', 'total_output_tokens_retokenized')):
        total = number(raw.get(key))
        if total is not None and n:
            yield quantity, {'total': total, 'mean': total / n}


def vllm(raw):
    yield from flat(raw, (('ttft', 'ttft'), ('tpot', 'tpot'), ('chunk_gap', 'itl'), ('e2e', 'e2el')))
    yield from means(raw)
    yield 'requests_per_sec', single(raw.get('request_throughput'))
    yield 'output_tokens_per_sec', single(raw.get('output_throughput'))
    yield 'total_tokens_per_sec', single(raw.get('total_token_throughput'))


def sglang(raw):
    yield from flat(raw, (('ttft', 'ttft'), ('tpot', 'tpot'), ('chunk_gap', 'itl'), ('e2e', 'e2e_latency')))
    yield from means(raw)
    yield 'requests_per_sec', single(raw.get('request_throughput'))
    yield 'input_tokens_per_sec', single(raw.get('input_throughput'))
    yield 'output_tokens_per_sec', single(raw.get('output_throughput'))
    yield 'concurrency', single(raw.get('concurrency'))


def inferencex(raw):
    """Seconds, although the names of the upstream keys once ended in _ms."""
    for quantity, name in (('ttft', 'ttft'), ('tpot', 'tpot'), ('chunk_gap', 'itl'), ('e2e', 'e2el')):
        yield quantity, stats({key.split('_')[0]: raw[key] for key in raw if re.fullmatch(r'(mean|median|std|p[\d.]+)_%s' % name, key)})
    yield from means(raw)
    yield 'requests_per_sec', single(raw.get('request_throughput'))
    yield 'input_tokens_per_sec', single(raw.get('input_throughput'))
    yield 'output_tokens_per_sec', single(raw.get('output_throughput'))


def guidellm(raw):
    """Names as GuideLLM defines them: its inter token latency is decode time per token, its time per output token contains TTFT."""
    metrics = raw['metrics']

    def block(name, factor=1.0):
        one = at(metrics, name, 'successful') or {}
        found = stats({key: one[key] for key in ('mean', 'std_dev', 'min', 'max', 'total_sum') if key in one}, factor)
        for key, value in (one.get('percentiles') or {}).items():
            digits = key[1:]
            name = 'p' + {'001': '0.1', '999': '99.9'}.get(digits, str(int(digits)))
            found[name] = value * factor
        return found

    yield 'ttft', block('time_to_first_token_ms', 0.001)
    yield 'tpot', block('inter_token_latency_ms', 0.001)
    yield 'ntpot', block('time_per_output_token_ms', 0.001)
    yield 'e2e', block('request_latency')
    yield 'schedule_delay', {'mean': raw['scheduler_metrics']['request_targeted_start_delay_avg']}
    yield 'prompt_tokens', block('prompt_token_count')
    yield 'output_tokens', block('output_token_count')
    for quantity, name in (
        ('requests_per_sec', 'requests_per_second'),
        ('input_tokens_per_sec', 'prompt_tokens_per_second'),
        ('output_tokens_per_sec', 'output_tokens_per_second'),
        ('total_tokens_per_sec', 'tokens_per_second'),
        ('concurrency', 'request_concurrency'),
    ):
        yield quantity, single(at(metrics, name, 'successful', 'mean'))


def aiperf(raw):
    scale = {'ms': 0.001, 's': 1.0, 'sec': 1.0}
    for quantity, key in (('ttft', 'time_to_first_token'), ('tpot', 'inter_token_latency'), ('chunk_gap', 'inter_chunk_latency'), ('e2e', 'request_latency')):
        one = raw.get(key)
        if one:
            yield quantity, stats(one, scale[one['unit']])
    for quantity, key in (('requests_per_sec', 'request_throughput'), ('output_tokens_per_sec', 'output_token_throughput'), ('total_tokens_per_sec', 'total_token_throughput')):
        yield quantity, single(at(raw, key, 'avg'))


def percentile(values, q):
    ordered = sorted(values)
    position = q / 100 * (len(ordered) - 1)
    low = math.floor(position)
    return ordered[low] + (ordered[min(low + 1, len(ordered) - 1)] - ordered[low]) * (position - low)


def describe(values):
    return {'mean': sum(values) / len(values), 'min': min(values), 'max': max(values), **{f'p{q}': percentile(values, q) for q in (50, 90, 95, 99)}}


def aiperf_records(lines):
    """Nothing but requests: every number is computed. Latency ends at the last content."""
    rows = [line for line in lines if line['metadata']['benchmark_phase'] == 'profiling' and not line['error']]
    metric = lambda row, key: row['metrics'][key]['value']
    # From the first send on: nanoseconds since 1970 have more digits than a float.
    first = min(row['metadata']['request_start_ns'] for row in rows)
    sent = [(row['metadata']['request_start_ns'] - first) * 1e-9 for row in rows]
    latency = [metric(row, 'request_latency') / 1000 for row in rows]
    ttft = [metric(row, 'time_to_first_token') / 1000 for row in rows]
    output = [metric(row, 'output_sequence_length') for row in rows]
    prompt = [metric(row, 'input_sequence_length') for row in rows]
    window = max(s + l for s, l in zip(sent, latency)) - min(sent)
    yield 'ttft', describe(ttft)
    yield 'tpot', describe([(l - t) / (n - 1) for l, t, n in zip(latency, ttft, output) if n > 1])
    yield 'ntpot', describe([l / n for l, n in zip(latency, output)])
    yield 'e2e', describe(latency)
    yield 'chunk_gap', describe([gap / 1000 for row in rows for gap in metric(row, 'inter_chunk_latency')])
    yield 'prompt_tokens', {'total': sum(prompt), **describe(prompt)}
    yield 'output_tokens', {'total': sum(output), **describe(output)}
    yield 'requests_per_sec', single(len(rows) / window)
    yield 'input_tokens_per_sec', single(sum(prompt) / window)
    yield 'output_tokens_per_sec', single(sum(output) / window)
    yield 'total_tokens_per_sec', single((sum(prompt) + sum(output)) / window)


def llmperf(raw):
    """Its inter token latency is the whole latency over the tokens."""
    names = (('ttft', 'ttft_s'), ('ntpot', 'inter_token_latency_s'), ('e2e', 'end_to_end_latency_s'), ('prompt_tokens', 'number_input_tokens'), ('output_tokens', 'number_output_tokens'))
    for quantity, name in names:
        block = {}
        for key, value in raw.items():
            match = re.fullmatch(r'results_%s_(?:quantiles_)?(p\d+|mean|min|max|stddev)' % name, key)
            if match:
                block[match.group(1)] = value
        yield quantity, stats(block)
    yield 'requests_per_sec', single(raw['results_num_completed_requests_per_min'], 1 / 60)
    yield 'output_tokens_per_sec', single(raw['results_mean_output_throughput_token_per_s'])


UNITS = {'ms': 0.001, 's': 1.0, 'ms/token': 0.001, 's/token': 1.0, 'us': 1e-6, 'count': 1.0, 'tokens/s': 1.0, 'queries/s': 1.0, 'requests/s': 1.0}


def llmd(raw):
    """0.1 keeps rates as numbers, 0.2 and later as statistics; the harness is inference-perf, so that its words mean what they do there."""
    old = raw['version'] == '0.1'
    top = raw['metrics'] if old else raw['results']['request_performance']['aggregate']
    block = lambda one: stats(one, UNITS[one['units']]) if one else {}
    latency = top['latency']
    for quantity, key in (('ttft', 'time_to_first_token'), ('e2e', 'request_latency'), ('tpot', 'time_per_output_token'), ('ntpot', 'normalized_time_per_output_token'), (('token_gap', 'chunk_gap'), 'inter_token_latency')):
        yield quantity, block(latency.get(key))
    yield 'prompt_tokens', block(top['requests'].get('input_length'))
    yield 'output_tokens', block(top['requests'].get('output_length'))
    rates = top['throughput']
    for quantity, before, after in (('requests_per_sec', 'requests_per_sec', 'request_rate'), ('input_tokens_per_sec', 'input_tokens_per_sec', 'input_token_rate'), ('output_tokens_per_sec', 'output_tokens_per_sec', 'output_token_rate'), ('total_tokens_per_sec', 'total_tokens_per_sec', 'total_token_rate')):
        yield quantity, single(rates.get(before)) if old else single(at(rates, after, 'mean'))


def load(path):
    text = open(path, encoding='utf-8').read()
    if path.endswith('.jsonl'):
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    if re.search(r'\.ya?ml$', path):
        import yaml

        return yaml.safe_load(text)
    return json.loads(text)


def readings(tool, place, scope):
    """What should be in the scope: the file's own numbers, read here."""
    path = os.path.join(place, scope['file']) if os.path.isdir(place) else place
    raw = load(path)
    if tool == 'inference-perf':
        return inference_perf(raw)
    if tool == 'sglang bench_serving':
        return list(sglang(raw[0]))
    if tool == 'guidellm':
        return list(guidellm(raw['benchmarks'][int(re.search(r'(\d+)', scope['measures'][0]['source']['key']).group(1))]))
    if tool == 'aiperf':
        return list(aiperf_records(raw) if isinstance(raw, list) else aiperf(raw))
    return list({'vllm bench serve': vllm, 'InferenceX': inferencex, 'llmperf': llmperf, 'llm-d Benchmark Report': llmd}[tool](raw))


def compare(ours, theirs, where, problems):
    """Each of ours must be one of theirs, statistic by statistic; each of theirs must be in ours."""
    agree = 0
    named = [(names if isinstance(names, tuple) else (names,), found) for names, found in theirs if found]
    used = set()
    for measure in ours:
        candidates = [i for i, (names, _) in enumerate(named) if measure['quantity'] in names]
        fits = lambda i: all(k in named[i][1] and abs(v - named[i][1][k]) <= TOLERANCE * max(abs(v), abs(named[i][1][k])) for k, v in measure['stats'].items())
        match = next((i for i in candidates if fits(i)), None)
        if match is None:
            problems.append(f"{where}: {measure['quantity']}: {measure['stats']} here {[named[i][1] for i in candidates]}")
            continue
        used.add(match)
        agree += len(measure['stats'])
        left = set(named[match][1]) - set(measure['stats'])
        if left:
            problems.append(f"{where}: {measure['quantity']} lacks {sorted(left)}")
    for i, (names, found) in enumerate(named):
        if i not in used:
            problems.append(f'{where}: {names} {found} is in no number of ours')
    return agree


def places():
    for tool in sorted(os.listdir(CORPUS)):
        folder = os.path.join(CORPUS, tool)
        if not os.path.isdir(folder):
            continue
        if tool != 'inference-perf':
            yield from (os.path.join(folder, name) for name in sorted(os.listdir(folder)) if not name.endswith('_json_schema.json'))
            continue
        for name in sorted(os.listdir(folder)):
            inner = os.path.join(folder, name)
            runs = [os.path.join(inner, run) for run in sorted(os.listdir(inner)) if os.path.isdir(os.path.join(inner, run))]
            yield from runs or [inner]


total, wrong, skipped = 0, 0, 0
for place in places():
    name = os.path.relpath(place, CORPUS)
    if re.search(r'\.ya?ml$', place):
        try:
            import yaml  # noqa: F401
        except ImportError:
            print(f'skip {name}: PyYAML is not installed')
            skipped += 1
            continue
    run = subprocess.run(['node', CLI, 'import', place, '--json', '--no-records'] if not place.endswith('.jsonl') else ['node', CLI, 'import', place, '--json'], capture_output=True, text=True)
    problems, agree = [], 0
    for one in json.loads(run.stdout)['reports']:
        report = one['report']
        for scope in report['scopes']:
            agree += compare(scope['measures'], readings(report['tool'], place, scope), scope['id'], problems)
            server = scope.get('server')
            if server:
                agree += compare(server['measures'], inference_perf_server(load(os.path.join(place, server['file']))), f"{scope['id']} (server)", problems)
    total += agree
    wrong += len(problems)
    print(f"{'ok  ' if not problems else 'FAIL'} {name}: {agree:,} numbers agree")
    for problem in problems[:8]:
        print(f'     {problem[:400]}')
print(f'{total:,} numbers of {CORPUS} agree with a second reading, {wrong} measures do not' + (f', {skipped} results skipped' if skipped else ''))
sys.exit(1 if wrong else 0)

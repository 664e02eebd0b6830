/** What one round of answering or calling measured. */
export interface LoadResult {
  readonly requestsPerSecond: number
  readonly p50: number
  readonly p99: number
  /** Answers that were not the expected ones. */
  readonly refused: number
  /** Share of one core the other side used: near 1, it is the limit and not what is measured. */
  readonly otherLoad: number
  /** Processor time of what is measured per answer: steadier than the rate on a busy machine. */
  readonly cpuMicroseconds: number
}

/** A stretch of time: milliseconds of waiting for each answer, and microseconds of work on either side. */
export interface Stretch {
  readonly latencies: number[]
  readonly refused: number
  readonly milliseconds: number
  readonly measuredCpu: number
  readonly otherCpu: number
}

export function loadResult(stretch: Stretch): LoadResult {
  const { latencies, refused, milliseconds, measuredCpu, otherCpu } = stretch
  latencies.sort((a, b) => a - b)
  const quantile = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN
  return {
    requestsPerSecond: latencies.length / (milliseconds / 1000),
    p50: quantile(0.5),
    p99: quantile(0.99),
    refused,
    otherLoad: otherCpu / 1000 / milliseconds,
    cpuMicroseconds: measuredCpu / latencies.length,
  }
}

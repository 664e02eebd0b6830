import { clientRows } from './client-rows.js'
import type { BenchRow } from './row.js'
import { serverRows } from './server-rows.js'

export const rows: readonly BenchRow[] = [...serverRows, ...clientRows]

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Each file beside this one is a proof; what proofs share is in folders. */
const proofs = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && entry.name !== 'run.ts')
  .map((entry) => entry.name.replace(/\.ts$/, ''))
  .sort()

async function prove(name: string): Promise<boolean> {
  console.log(`--- proof ${name}${process.env['PROOF_SHORT'] === '1' ? ', shortened' : ''}`)
  const flags = ['--expose-gc', '--conditions=castellan:source', '--import', 'tsx']
  const file = join(import.meta.dirname, `${name}.ts`)
  const child = spawn(process.execPath, [...flags, file], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  console.log(code === 0 ? `${name}: holds` : `${name}: FAILS`)
  return code === 0
}

const wanted = process.argv[2]
if (wanted === undefined) {
  console.log(
    `npm run proof -- <name>, with PROOF_SHORT=1 for a shorter run:\n  ${proofs.join('\n  ')}\n  all`,
  )
} else if (wanted !== 'all' && !proofs.includes(wanted)) {
  console.error(`There is no proof ${wanted}; there are ${proofs.join(', ')}, all`)
  process.exitCode = 1
} else {
  for (const name of wanted === 'all' ? proofs : [wanted]) if (!(await prove(name))) process.exitCode = 1
}

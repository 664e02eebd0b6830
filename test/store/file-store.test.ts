import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileAuthorizationStore, sealingKeyFile } from 'castellan/store'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const key = 'a'.repeat(64)
let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'castellan-files-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

describe('a store in files', () => {
  test('of two openings at once is one (D13)', async () => {
    const keys = [await sealingKeyFile(join(root, 'key'))]
    const directory = join(root, 'grants')
    const stores = [fileAuthorizationStore({ directory, keys }), fileAuthorizationStore({ directory, keys })]
    let inside = 0
    const use = async () => {
      expect(++inside).toBe(1)
      await new Promise(setImmediate)
      inside--
    }
    await Promise.all([...stores, ...stores].map((store) => store.withCredentials([key], use)))
  })

  test('refuses a directory that others may enter (failures B109)', async () => {
    const keys = [await sealingKeyFile(join(root, 'key'))]
    await chmod(root, 0o755)
    const use = fileAuthorizationStore({ directory: root, keys }).withCredentials([key], () =>
      Promise.resolve(),
    )
    await expect(use).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
  })

  test('goes on after a write that broke off (failures B109)', async () => {
    const keys = [await sealingKeyFile(join(root, 'key'))]
    const directory = join(root, 'grants')
    const store = fileAuthorizationStore({ directory, keys })
    const save = (value: string) =>
      store.withCredentials([key], (records) => records.get(key)!.save(Buffer.from(value)))
    await save('first')
    const [name] = (await readdir(directory)).filter((file) => file.endsWith('.sealed'))
    await writeFile(join(directory, `${name!}.draft`), 'half a rec')
    const loaded = await store.withCredentials([key], (records) => records.get(key)!.load())
    expect(loaded).toEqual(new Uint8Array(Buffer.from('first')))
    await save('second')
    expect((await readdir(directory)).filter((file) => file.endsWith('.draft'))).toEqual([])
  })
})

describe('a key in a file', () => {
  test('is made once, for its owner only, also when many ask at once (failures B109)', async () => {
    const path = join(root, 'made', 'key')
    const made = await Promise.all(Array.from({ length: 8 }, () => sealingKeyFile(path)))
    expect(new Set(made.map((each) => Buffer.from(each.key as Uint8Array).toString('hex'))).size).toBe(1)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(join(root, 'made'))).toEqual(['key'])
    expect(await readFile(path, 'utf8')).not.toContain(made[0]!.id)
  })

  test('that others may read, or that is none, is refused', async () => {
    const path = join(root, 'key')
    await sealingKeyFile(path)
    await chmod(path, 0o640)
    await expect(sealingKeyFile(path)).rejects.toMatchObject({ code: 'ERR_OPTION' })
    await chmod(path, 0o600)
    await writeFile(path, 'a passphrase')
    await expect(sealingKeyFile(path)).rejects.toMatchObject({ code: 'ERR_OPTION' })
  })
})

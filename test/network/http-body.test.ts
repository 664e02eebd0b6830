import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { HttpBody } from '../../src/network/http-body.js'

describe('HttpBody', () => {
  const source = { pause: vi.fn(), resume: vi.fn(), abort: vi.fn() }
  let body: HttpBody

  beforeEach(() => {
    vi.useFakeTimers()
    vi.resetAllMocks()
    body = new HttpBody(source)
  })

  afterEach(() => vi.useRealTimers())

  it('gives what was written before a failure, then the failure', async () => {
    body.write(Buffer.from('a'))
    body.fail(new Error('cut'))
    expect(await body.next()).toEqual({ done: false, value: Buffer.from('a') })
    await expect(body.next()).rejects.toThrow('cut')
  })

  it('wakes its reader', async () => {
    const first = body.next()
    body.write(Buffer.from('a'))
    expect(await first).toEqual({ done: false, value: Buffer.from('a') })
    const second = body.next()
    body.end()
    expect(await second).toEqual({ done: true, value: undefined })
    const lost = new HttpBody(source)
    const third = lost.next()
    lost.fail(new Error('cut'))
    await expect(third).rejects.toThrow('cut')
  })

  it('pauses the connection while too much waits', async () => {
    body.write(Buffer.alloc(60_000))
    expect(source.pause).not.toHaveBeenCalled()
    body.write(Buffer.alloc(60_000))
    body.write(Buffer.alloc(60_000))
    expect(source.pause).toHaveBeenCalledTimes(1)
    await body.next()
    await body.next()
    expect(source.resume).not.toHaveBeenCalled()
    await body.next()
    expect(source.resume).toHaveBeenCalledTimes(1)
  })

  it('leaves a connection usable when the rest ends shortly', () => {
    body.write(Buffer.from('a'))
    body.cancel()
    body.write(Buffer.from('b'))
    body.end()
    vi.runAllTimers()
    expect(source.abort).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('cuts a connection whose rest goes on for long', () => {
    body.cancel()
    expect(source.abort).not.toHaveBeenCalled()
    vi.runAllTimers()
    expect(source.abort).toHaveBeenCalledTimes(1)
  })

  it('cuts a connection whose rest is large, read or waiting', () => {
    body.cancel()
    body.write(Buffer.alloc(65_537))
    expect(source.abort).toHaveBeenCalledTimes(1)
    const full = new HttpBody(source)
    full.write(Buffer.alloc(65_537))
    full.cancel()
    expect(source.abort).toHaveBeenCalledTimes(2)
  })

  it('does nothing about a rest that is there already, and nothing twice', async () => {
    body.write(Buffer.from('a'))
    body.end()
    body.cancel()
    body.cancel()
    expect(vi.getTimerCount()).toBe(0)
    expect(source.abort).not.toHaveBeenCalled()
    expect(await body.next()).toEqual({ done: true, value: undefined })
  })

  it('releases a reader that waits when it is let go of', async () => {
    const waiting = body.next()
    body.cancel()
    expect(await waiting).toEqual({ done: true, value: undefined })
  })
})

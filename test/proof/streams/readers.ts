import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { modern, rawPost } from '../../wire.js'

/** What the readers are told to do at a port. */
export type Order =
  | { readonly do: 'open'; readonly port: number; readonly streams: number }
  | { readonly do: 'hear' }
  | { readonly do: 'leave' }
  | { readonly do: 'come and go'; readonly port: number; readonly streams: number }

/** A loopback address has too few ports for all streams. */
const streamsPerAddress = 5_000
/** How many connect at the same time. */
const atOnce = 200

let sockets: Socket[] = []
let opened = 0
let heard = 0
let allHeard: (at: number) => void = () => undefined

async function open(port: number): Promise<Socket> {
  const number = ++opened
  const localAddress = `127.0.0.${2 + (Math.floor(number / streamsPerAddress) % 200)}`
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  const { body, headers } = modern(
    'subscriptions/listen',
    { notifications: { toolsListChanged: true } },
    { id: number, headers: { accept: 'text/event-stream, application/json' } },
  )
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.write(rawPost('/mcp', lines, JSON.stringify(body)).replace('Connection: close\r\n', ''))
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.on('data', (chunk: Buffer) => {
      if (chunk.includes('acknowledged')) resolve()
      if (chunk.includes('list_changed') && ++heard === sockets.length)
        allHeard(Number(process.hrtime.bigint()))
    })
  })
  return socket
}

async function openMany(port: number, streams: number): Promise<Socket[]> {
  const made: Socket[] = []
  while (made.length < streams) {
    const batch = Math.min(atOnce, streams - made.length)
    made.push(...(await Promise.all(Array.from({ length: batch }, () => open(port)))))
  }
  return made
}

async function leave(gone: Socket[]): Promise<void> {
  await Promise.all(
    gone.map(async (socket) => {
      const closed = once(socket, 'close')
      socket.resetAndDestroy()
      await closed
    }),
  )
}

async function obey(order: Order): Promise<number> {
  if (order.do === 'open') sockets = await openMany(order.port, order.streams)
  else if (order.do === 'leave') await leave(sockets.splice(0))
  else if (order.do === 'hear') {
    heard = 0
    const all = new Promise<number>((resolve) => (allHeard = resolve))
    process.send?.({ value: 0 })
    return all
  } else {
    for (let left = order.streams; left > 0; left -= atOnce)
      await leave(await openMany(order.port, Math.min(atOnce, left)))
  }
  return 0
}

process.on('message', (order: Order) => {
  void obey(order).then((value) => process.send?.({ value }))
})
process.on('disconnect', () => process.exit())
process.send?.({ value: 0 })

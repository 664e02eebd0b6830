import { startWorld } from './world.js'

const world = await startWorld(8080)
console.log(`Open ${world.origin} and sign in as alice, with the password wonderland. Ctrl-C ends it.`)
process.once('SIGINT', () => void world.close())

/** Tells how long the import of one package takes. */
const start = performance.now()
await import(process.argv[2] ?? '')
console.log(performance.now() - start)
process.exit()

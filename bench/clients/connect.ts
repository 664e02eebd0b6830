/** Calls the `echo` tool once and gives the text of its structured content. */
export type Call = (input: { readonly text: string }) => Promise<unknown>

/** Gets one client ready for calls. */
export type Connect = (url: string, args: readonly string[]) => Promise<Call> | Call

import { DefinitionError } from '../../errors.js'
import type { ContentOf, Form, FormAnswer } from './form.js'
import type { Root, Roots } from './roots.js'
import type { Sampling, SamplingAnswer, SamplingParams } from './sampling.js'
import type { UrlAnswer, UrlConsent } from './url-consent.js'

export type InputDeclaration = Form | UrlConsent | Sampling | Roots

/** What a handler may ask for, by name. */
export type Inputs = Readonly<Record<string, InputDeclaration>>

/** What a definition may ask for while it is served. */
export interface Asks<Declared extends Inputs | undefined> {
  /**
   * What the handler may ask the user for, by names of letters, digits and `_`: `form(…)` or `urlConsent()`. Clients
   * of 2025-11-25 cannot be asked.
   */
  readonly inputs?: Declared
}

/** Tells two questions of one input apart. */
interface Keyed {
  /** For an input that is asked more than once in one call: up to 64 letters, digits, `_`, `.` and `-`. */
  readonly key?: string
}

/**
 * Asks, unless it was answered in this or an earlier round. Without an answer the promise rejects with an `AbortError`:
 * the run ends, the call is answered with the question, and the handler starts again when the client comes back.
 */
type Ask<I extends InputDeclaration> = I extends Form
  ? (question: { readonly message: string } & Keyed) => Promise<FormAnswer<ContentOf<I>>>
  : I extends UrlConsent
    ? (question: { readonly message: string; readonly url: string } & Keyed) => Promise<UrlAnswer>
    : I extends Sampling
      ? (question: SamplingParams & Keyed) => Promise<SamplingAnswer>
      : (question?: Keyed) => Promise<readonly Root[]>

/** A JSON value of the handler that travels sealed with the call, from one round to the next. */
export interface CarriedState {
  /** What the last round left; undefined in the first one. */
  get(): unknown
  /** Leaves a value for the next round, at most 4 KiB of JSON. Throws `RangeError` and `TypeError`. */
  set(value: unknown): void
}

/** `ctx.input`: what is asked, whether this client can be asked, and what the handler keeps between rounds. */
export type InputOfHandler<Declared extends Inputs> = {
  readonly [Name in keyof Declared]: Ask<Declared[Name]>
} & {
  readonly can: { readonly [Name in keyof Declared]: boolean }
  readonly state: CarriedState
}

const nameSyntax = /^[A-Za-z_]\w{0,63}$/

/** Checks names and declarations. Throws `ERR_DEFINITION`. */
export function checkedInputs<Declared extends Inputs | undefined>(
  where: string,
  { inputs }: Asks<Declared>,
): Declared {
  for (const [name, declaration] of Object.entries<Partial<InputDeclaration> | undefined>(inputs ?? {})) {
    if (!nameSyntax.test(name) || name === 'can' || name === 'state' || name in Object.prototype) {
      throw new DefinitionError(`${where}: ${JSON.stringify(name)} is no name for an input`)
    }
    if (declaration?.kind !== undefined && kinds.has(declaration.kind)) continue
    throw new DefinitionError(`${where}: inputs.${name} must be form(…) or urlConsent()`)
  }
  return (inputs && Object.freeze({ ...inputs })) as Declared
}

const kinds = new Set(['form', 'url', 'sampling', 'roots'])

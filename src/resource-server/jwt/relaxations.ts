import type { JwtResourceServerOptions } from './options.js'

type Options = JwtResourceServerOptions<unknown>

/** The default beyond which an amount of seconds is told. */
const usual = { clockToleranceSeconds: 5, maxTokenLifetimeSeconds: 86_400, staleIfErrorSeconds: 0 }

/**
 * Says in words, one sentence for each option, what options ask less of tokens than RFC 9068 and the defaults do.
 *
 * Empty for the defaults. Identifiers stand in it as configured, and nothing secret does.
 */
export function describeRelaxations(options: Options): readonly string[] {
  return Object.freeze([...tokenForm(options), ...audience(options), ...identity(options), ...times(options)])
}

function tokenForm(options: Options): string[] {
  const { profile, allowedTyp = [], allowMissingTyp = false, allowLoopbackHttp = false } = options
  return told([
    [profile === 'relaxed', 'profile: tokens may lack the claims jti, iat and client_id of RFC 9068'],
    [allowedTyp.length > 0, `allowedTyp: tokens may be of the type ${list(allowedTyp)}`],
    [allowMissingTyp, 'allowMissingTyp: tokens may have no type, as ID tokens often do'],
    [allowLoopbackHttp, 'allowLoopbackHttp: plain http is accepted on this machine'],
  ])
}

function audience({ acceptedAudiences = [], audienceClaim }: Options): string[] {
  const names = list(acceptedAudiences)
  return told(
    audienceClaim === 'client_id'
      ? [[true, `audienceClaim: tokens for any API will do when their client_id is ${names}`]]
      : [[acceptedAudiences.length > 0, `acceptedAudiences: tokens for ${names} will do, too`]],
  )
}

function identity(options: Options): string[] {
  const { issuer, acceptedIssuers = [], subjectFrom, clientIdClaims = [], scopeClaims } = options
  const renamed = Object.entries(options.scopeMap ?? {}).map(([from, to]) => `${from} as ${to}`)
  return told([
    [
      acceptedIssuers.length > 0,
      `acceptedIssuers: tokens of ${list(acceptedIssuers)} count as tokens of ${issuer}, about the same people`,
    ],
    [subjectFrom === 'client_id', 'subjectFrom: the client is the subject, whoever sub names'],
    [
      clientIdClaims.some((name) => name !== 'client_id'),
      `clientIdClaims: the client is read from ${list(clientIdClaims)}`,
    ],
    [scopeClaims?.some((name) => name !== 'scope'), `scopeClaims: scopes are read from ${list(scopeClaims)}`],
    [renamed.length > 0, `scopeMap: granted scopes are renamed: ${list(renamed)}`],
  ])
}

function times(options: Options): string[] {
  const beyond = (name: keyof typeof usual) => (options[name] ?? usual[name]) > usual[name]
  const { clockToleranceSeconds = 0, maxTokenLifetimeSeconds = 0, staleIfErrorSeconds = 0 } = options
  return told([
    [
      beyond('clockToleranceSeconds'),
      `clockToleranceSeconds: expired tokens are good for another ${clockToleranceSeconds} s`,
    ],
    [
      beyond('maxTokenLifetimeSeconds'),
      `maxTokenLifetimeSeconds: tokens may live for ${maxTokenLifetimeSeconds} s`,
    ],
    [
      beyond('staleIfErrorSeconds'),
      `staleIfErrorSeconds: keys that cannot be read again serve for another ${staleIfErrorSeconds} s`,
    ],
  ])
}

function told(sentences: readonly (readonly [relaxed: boolean | undefined, sentence: string])[]): string[] {
  return sentences.filter(([relaxed]) => relaxed).map(([, sentence]) => sentence)
}

function list(names: readonly string[] = []): string {
  return names.join(', ')
}

import type { IntrospectionResourceServerOptions } from './options.js'

/** Says in words, one sentence each, what options ask less of answers than the defaults do. Nothing secret is in them. */
export function describeRelaxations(options: IntrospectionResourceServerOptions<unknown>): readonly string[] {
  const { acceptedAudiences = [], audienceBinding, subjectFrom, cache, clockToleranceSeconds = 5 } = options
  const sentences: readonly (readonly [boolean, string])[] = [
    [
      acceptedAudiences.length > 0,
      `acceptedAudiences: tokens for ${acceptedAudiences.join(', ')} will do, too`,
    ],
    [
      audienceBinding === 'endpoint',
      'audienceBinding: the authorization server alone says for whom a token is',
    ],
    [subjectFrom === 'client_id', 'subjectFrom: the client is the subject, whoever sub names'],
    [cache !== undefined, `cache: revoked tokens are good for another ${cache?.maxSeconds ?? 0} s`],
    [
      clockToleranceSeconds > 5,
      `clockToleranceSeconds: expired tokens are good for another ${clockToleranceSeconds} s`,
    ],
    [options.allowLoopbackHttp ?? false, 'allowLoopbackHttp: plain http is accepted on this machine'],
  ]
  return Object.freeze(sentences.filter(([relaxed]) => relaxed).map(([, sentence]) => sentence))
}

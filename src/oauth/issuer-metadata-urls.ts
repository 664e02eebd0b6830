/**
 * Where the metadata of an authorization server may stand, most specific first.
 *
 * For `https://h/t`: `/.well-known/oauth-authorization-server/t`, `/.well-known/openid-configuration/t`,
 * `/t/.well-known/openid-configuration`; without a path the first two at the root. One trailing slash of the
 * issuer is left out, as the RFCs say. RFC 8414 §3.1, OpenID Connect Discovery 1.0 §4.
 */
export function issuerMetadataUrls(issuer: string): readonly string[] {
  const start = issuer.indexOf('/', issuer.indexOf('://') + 3)
  const origin = start === -1 ? issuer : issuer.slice(0, start)
  const path = start === -1 ? '' : issuer.slice(start).replace(/\/$/, '')
  const inserted = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ]
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`]
}

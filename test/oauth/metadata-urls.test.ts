import { describe, expect, it } from 'vitest'
import { issuerMetadataUrls } from '../../src/oauth/issuer-metadata-urls.js'
import { resourceMetadataPath, resourceMetadataUrl } from '../../src/oauth/resource-metadata.js'

describe('A40 B082 the place of protected resource metadata', () => {
  it.each([
    ['https://h.example', '/.well-known/oauth-protected-resource'],
    ['https://h.example/', '/.well-known/oauth-protected-resource'],
    ['https://h.example/mcp', '/.well-known/oauth-protected-resource/mcp'],
    ['https://h.example/mcp/', '/.well-known/oauth-protected-resource/mcp/'],
    ['https://h.example/v1/mcp', '/.well-known/oauth-protected-resource/v1/mcp'],
    ['https://h.example/mcp?t=1', '/.well-known/oauth-protected-resource/mcp?t=1'],
    ['https://h.example/?t=/a', '/.well-known/oauth-protected-resource?t=/a'],
    ['https://h.example/a%2Fb', '/.well-known/oauth-protected-resource/a%2Fb'],
    ['http://127.0.0.1:3000/mcp', '/.well-known/oauth-protected-resource/mcp'],
  ])('%s', (resource, path) => {
    expect(resourceMetadataPath(resource)).toBe(path)
    expect(resourceMetadataUrl(resource)).toBe(new URL(resource).origin + path)
  })
})

describe('A50 B40 the places of issuer metadata', () => {
  const oauth = '/.well-known/oauth-authorization-server'
  const openid = '/.well-known/openid-configuration'

  it.each(['https://as.example', 'https://as.example/'])('%s has two, at the root', (issuer) => {
    expect(issuerMetadataUrls(issuer)).toEqual([`https://as.example${oauth}`, `https://as.example${openid}`])
  })

  it.each(['https://as.example:8443/realms/x', 'https://as.example:8443/realms/x/'])(
    '%s has three, none at the root',
    (issuer) => {
      expect(issuerMetadataUrls(issuer)).toEqual([
        `https://as.example:8443${oauth}/realms/x`,
        `https://as.example:8443${openid}/realms/x`,
        `https://as.example:8443/realms/x${openid}`,
      ])
    },
  )
})

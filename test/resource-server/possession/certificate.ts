import { generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto'

export interface TestCertificate {
  readonly key: string
  readonly cert: string
  /** What a token bound to it says in `x5t#S256`. */
  readonly thumbprint: string
}

const ecdsaWithSha256 = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'))
const addressAlone = Buffer.from('0603551d11', 'hex')
const commonName = Buffer.from('0603550403', 'hex')

/** A self-signed certificate for 127.0.0.1 with a fresh key (RFC 5280 §4.1). */
export function selfSigned(name: string): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = der(0x30, der(0x31, der(0x30, commonName, der(0x0c, Buffer.from(name)))))
  const address = der(0x30, der(0x87, Buffer.from([127, 0, 0, 1])))
  const signed = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    subject,
    der(0x30, der(0x17, utcTime(-86_400_000)), der(0x17, utcTime(86_400_000))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, der(0x30, addressAlone, der(0x04, address)))),
  )
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', signed, privateKey)])
  const certificate = new X509Certificate(der(0x30, signed, ecdsaWithSha256, der(0x03, signature)))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: certificate.toString(),
    thumbprint: Buffer.from(certificate.fingerprint256.replaceAll(':', ''), 'hex').toString('base64url'),
  }
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const length = body.length < 128 ? [body.length] : [0x82, Math.floor(body.length / 256), body.length % 256]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}

function utcTime(fromNow: number): Buffer {
  const [date = ''] = new Date(Date.now() + fromNow).toISOString().split('.')
  return Buffer.from(`${date.slice(2).replaceAll(/\D/g, '')}Z`)
}

import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TestCertificate {
  readonly key: string
  readonly cert: string
  /** What a token bound to it says in `x5t#S256`. */
  readonly thumbprint: string
}

/** A self-signed certificate for 127.0.0.1 with a fresh key. */
export function selfSigned(name: string): TestCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'castellan-tls-'))
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  try {
    execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', keyFile, '-out', certFile, ...subject], {
      stdio: 'ignore',
    })
    const cert = readFileSync(certFile, 'utf8')
    const digest = new X509Certificate(cert).fingerprint256.replaceAll(':', '')
    return {
      key: readFileSync(keyFile, 'utf8'),
      cert,
      thumbprint: Buffer.from(digest, 'hex').toString('base64url'),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

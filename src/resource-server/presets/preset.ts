import type { JwtResourceServerOptions } from '../jwt/options.js'

/** Options of `jwtResourceServer` that fit the tokens of one identity provider; spread them after `resource`. */
export type Preset = Omit<JwtResourceServerOptions, 'resource' | 'claims'>

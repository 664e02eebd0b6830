import { forLocal } from './for-local.js'
import { forWeb } from './for-web.js'

/**
 * Transports for an application that acts for a user, after the user's consent in a browser.
 *
 * `forWeb` is for applications whose users are in a browser already, `forLocal` for programs on the machine of one user, which
 * open it.
 */
export const authorizationCodeTransport = Object.freeze({ forWeb, forLocal })

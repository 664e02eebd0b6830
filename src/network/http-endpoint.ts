import { DefinitionError } from '../errors.js'

/** Reads the URL requests go to. Throws `ERR_OPTION` unless it is http or https without credentials or fragment. */
export function httpEndpoint(endpoint: string): URL {
  if (!URL.canParse(endpoint)) throw new DefinitionError('`endpoint` must be an absolute URL', 'ERR_OPTION')
  const url = new URL(endpoint)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new DefinitionError('`endpoint` must be an http or https URL', 'ERR_OPTION')
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw new DefinitionError('`endpoint` must have neither credentials nor a fragment', 'ERR_OPTION')
  }
  return url
}

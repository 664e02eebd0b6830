import { notice, type Notice } from '../../protocol/2026-07-28/subscription-messages.js'
import type { Changed } from '../changes/change.js'

const listNotices: Readonly<Record<'tools' | 'prompts' | 'resources', Notice>> = {
  tools: notice('notifications/tools/list_changed'),
  prompts: notice('notifications/prompts/list_changed'),
  resources: notice('notifications/resources/list_changed'),
}

/** The notification of a change, the same for all who hear of it; undefined where a state is to be read for each. */
export function changeNotice(changed: Changed): Notice | undefined {
  if (changed.kind === 'state') return undefined
  return changed.kind === 'resource'
    ? notice('notifications/resources/updated', { uri: changed.uri })
    : listNotices[changed.kind]
}

import { changesOver, type Changes, type Follower } from './changes.js'

/** A bus of changes within this process, for servers that run once. */
export function memoryChanges(): Changes {
  const followers = new Set<Follower>()
  return changesOver(
    (change) => {
      for (const follower of [...followers]) follower.hear(change)
      return Promise.resolve()
    },
    (follower) => {
      const own = { hear: follower.hear.bind(follower), lost: follower.lost.bind(follower) }
      followers.add(own)
      return Promise.resolve(() => void followers.delete(own))
    },
  )
}

import { toDotPath, type $ZodIssue } from 'zod/v4/core'

const maximumIssues = 20
const maximumLength = 2000

/**
 * What is wrong with a value, in one line that a model can act on: `limit: Too big…; notes[0].text: Invalid input…`.
 * The alternatives of a union are all told. Long texts are cut.
 */
export function issueText(issues: readonly $ZodIssue[]): string {
  const text = listed(issues, [], 0)
  return text.length > maximumLength ? `${text.slice(0, maximumLength)}…` : text
}

function listed(issues: readonly $ZodIssue[], path: readonly PropertyKey[], depth: number): string {
  const told = issues.slice(0, maximumIssues).map((issue) => one(issue, [...path, ...issue.path], depth))
  const rest = issues.length - told.length
  return [...told, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ')
}

function one(issue: $ZodIssue, path: readonly PropertyKey[], depth: number): string {
  if (depth < 4 && issue.code === 'invalid_union' && issue.errors.length > 0) {
    const options = issue.errors.map((issues) => `(${listed(issues, path, depth + 1)})`)
    return [...new Set(options)].join(' or ')
  }
  if (depth < 4 && issue.code === 'invalid_key') return listed(issue.issues, path, depth + 1)
  return path.length === 0 ? issue.message : `${toDotPath(path)}: ${issue.message}`
}

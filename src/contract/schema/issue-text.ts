import { toDotPath, type $ZodIssue } from 'zod/v4/core'

const maximumIssues = 20
const maximumLength = 2000

/**
 * What is wrong with a value, in one line that a model can act on: `limit: Too big…; notes[0].text: Invalid input…`.
 * The alternatives of a union are all told. Long texts are cut.
 */
export function issueText(issues: readonly $ZodIssue[]): string {
  const told = tell(issues, [], { left: maximumIssues })
  return told.length > maximumLength ? `${told.slice(0, maximumLength)}…` : told
}

function tell(issues: readonly $ZodIssue[], path: readonly PropertyKey[], budget: { left: number }): string {
  const texts: string[] = []
  for (const issue of issues) {
    if (budget.left <= 0) {
      texts.push(`and ${issues.length - texts.length} more`)
      break
    }
    texts.push(tellOne(issue, [...path, ...issue.path], budget))
  }
  return texts.join('; ')
}

function tellOne(issue: $ZodIssue, path: readonly PropertyKey[], budget: { left: number }): string {
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const options = new Set(issue.errors.map((issues) => `(${tell(issues, path, budget)})`))
    return [...options].join(' or ')
  }
  if (issue.code === 'invalid_key') return tell(issue.issues, path, budget)
  budget.left--
  return path.length === 0 ? issue.message : `${toDotPath(path)}: ${issue.message}`
}

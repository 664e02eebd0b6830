import { chromium, type Browser, type Page } from 'playwright-core'

/** Debian's Chromium, or the one named. */
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

export function startBrowser(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  return chromium.launch({ executablePath, args: isRoot ? ['--no-sandbox'] : [] })
}

/** A page of a new user, and what goes wrong in it: errors of scripts, blocked content, missing files. */
export async function newUser(browser: Browser): Promise<{ page: Page; problems: string[] }> {
  const page = await (await browser.newContext()).newPage()
  page.setDefaultTimeout(20_000)
  const problems: string[] = []
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  return { page, problems }
}

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { newUser, startBrowser } from './browser.js'
import { startWorld, type World } from './world.js'

/** Walks through the whole example in a real browser and throws at the first difference. */
export async function check(): Promise<void> {
  const world = await startWorld()
  const browser = await startBrowser()
  try {
    const { page, problems } = await newUser(browser)
    await page.goto(world.origin)
    await aRefusalChangesNothing(page, world)
    await signingIn(page, world)
    await writingAsksForMore(page, world)
    await aRestartAsksForNothing(page, world)
    await aStrangerSeesNothing((await newUser(browser)).page, world)
    await signingOut(page, world)
    assert.deepEqual(problems, [])
  } finally {
    await browser.close()
    await world.close()
  }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
const notice = (page: Page) => page.locator('.notice').innerText()
const notes = (page: Page) => page.locator('.notes li').allInnerTexts()

async function logIn(page: Page): Promise<void> {
  await page.getByLabel('Name').fill('alice')
  await page.getByLabel('Password').fill('wonderland')
  await button(page, 'Sign in').click()
}

async function aRefusalChangesNothing(page: Page, { authorization }: World): Promise<void> {
  await button(page, 'Sign in').click()
  await logIn(page)
  await heading(page, 'Allow Jotter?')
  await button(page, 'Do not allow').click()
  await heading(page, 'Your notes, wherever they are kept')
  assert.match(await notice(page), /did not allow/)
  assert.equal(authorization.counts.codes, 0)
}

/** The user is known at the authorization server by now. */
async function signingIn(page: Page, { authorization, origin }: World): Promise<void> {
  await button(page, 'Sign in').click()
  await heading(page, 'Allow Jotter?')
  assert.deepEqual(await page.locator('.scopes li').allInnerTexts(), ['Read your notes'])
  await button(page, 'Allow').click()
  await page.getByText('There are no notes yet.').waitFor()
  assert.equal(page.url(), `${origin}/`)
  assert.equal(authorization.counts.codes, 1)
}

async function writingAsksForMore(page: Page, { authorization }: World): Promise<void> {
  const text = 'Buy <b>milk</b> & "eggs"'
  await page.getByLabel('New note').fill(text)
  await button(page, 'Save note').click()
  await heading(page, 'Allow Jotter?')
  assert.deepEqual(await page.locator('.scopes li').allInnerTexts(), ['Write notes in your name'])
  await button(page, 'Allow').click()
  await page.locator('.notes li').first().waitFor()
  assert.match(await notice(page), /is saved/)
  assert.deepEqual(await notes(page), [text])
  assert.equal(authorization.counts.codes, 2)
}

async function aRestartAsksForNothing(page: Page, world: World): Promise<void> {
  const { counts } = world.authorization
  const { consents } = counts
  await world.restart()
  await page.reload()
  assert.equal((await notes(page)).length, 1)
  await page.getByLabel('New note').fill('Written after a restart')
  await button(page, 'Save note').click()
  await page.getByText('Written after a restart').waitFor()
  assert.equal((await notes(page)).length, 2)
  assert.equal(counts.consents, consents)
  assert.equal(counts.codes, 2)
}

async function aStrangerSeesNothing(page: Page, { origin }: World): Promise<void> {
  await page.goto(origin)
  await button(page, 'Sign in').waitFor()
  assert.deepEqual(await notes(page), [])
  const forged = await fetch(`${origin}/sign-out`, {
    method: 'POST',
    headers: { origin: 'http://evil.example' },
  })
  assert.equal(forged.status, 403)
}

async function signingOut(page: Page, { authorization }: World): Promise<void> {
  assert.equal(authorization.counts.revocations, 0)
  await button(page, 'Sign out').click()
  await heading(page, 'Your notes, wherever they are kept')
  assert.match(await notice(page), /signed out/)
  assert.equal(authorization.counts.revocations, 1)
  await button(page, 'Sign in').click()
  await heading(page, 'Allow Jotter?')
}

import { definePrompt, defineResourceTemplate, defineTool, user } from 'castellan'
import { z } from 'zod'

const note = z.object({ id: z.string(), text: z.string() })

export const listNotes = defineTool({
  name: 'list_notes',
  title: 'List notes',
  description: "List the caller's notes, newest first",
  input: z.object({ limit: z.number().int().positive().max(100).default(20) }),
  output: z.object({ notes: z.array(note) }),
  scopes: ['notes:read'],
  annotations: { readOnlyHint: true },
})

export const addNote = defineTool({
  name: 'add_note',
  title: 'Add a note',
  description: 'Write a new note for the caller',
  input: z.object({ text: z.string().min(1).max(2000) }),
  output: note,
  scopes: ['notes:write'],
  annotations: { destructiveHint: false },
})

export const noteText = defineResourceTemplate({
  uriTemplate: 'note://{id}',
  name: 'note',
  description: "The text of one of the caller's notes",
  mimeType: 'text/plain',
  scopes: ['notes:read'],
})

export const reviewNotes = definePrompt({
  name: 'review_notes',
  description: 'Ask for a review of the notes',
  messages: [user('List my notes, group them by topic and tell me what I seem to have forgotten.')],
})

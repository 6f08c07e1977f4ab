import Backstitch
import Foundation

/// Notes of one kind, at most one for each record, object or asset. The kind has a prefix. The key of each note is the
/// prefix, followed by the name of its subject.
///
/// ```swift
/// try journal.setNote(.away, of: key, to: true)
/// let removed = try journal.subjects(of: .away)  // [ObjectKey]
/// ```
struct SyncNotes<Subject: SyncNoteSubject, Value: SyncPropertyValue>: Sendable {
    /// The beginning of the keys in the metadata.
    let prefix: String

    func name(of subject: Subject) -> String { prefix + subject.noteName }

    fileprivate func subject(named name: String) -> Subject? { Subject(noteName: String(name.dropFirst(prefix.count))) }
}

extension JournalReading {
    /// The note of a subject; nil if it has none.
    func note<Subject, Value>(_ kind: SyncNotes<Subject, Value>, of subject: Subject) throws -> Value? {
        try metadata(for: kind.name(of: subject)).flatMap { try Value(storedForm: $0) }
    }

    func hasNote<Subject, Value>(_ kind: SyncNotes<Subject, Value>, of subject: Subject) throws -> Bool {
        try metadata(for: kind.name(of: subject)) != nil
    }

    /// All notes of a kind, in the order of their subjects' names.
    ///
    /// - Parameter isMeant: Selects the stored forms to be read.
    func notes<Subject, Value>(
        _ kind: SyncNotes<Subject, Value>, where isMeant: (Data) -> Bool = { _ in true }
    ) throws -> [(subject: Subject, value: Value)] {
        try metadata(withPrefix: kind.prefix).compactMap { name, data in
            guard isMeant(data), let subject = kind.subject(named: name), let value = try Value(storedForm: data) else {
                return nil
            }
            return (subject, value)
        }
    }

    /// The notes of these subjects. Subjects without a note are left out.
    func notes<Subject: Hashable, Value>(
        _ kind: SyncNotes<Subject, Value>, of subjects: [Subject]
    ) throws -> [Subject: Value] {
        let names = Dictionary(subjects.map { (kind.name(of: $0), $0) }, uniquingKeysWith: { $1 })
        var notes: [Subject: Value] = [:]
        for (name, data) in try metadata(for: names.keys.sorted()) {
            if let subject = names[name] { notes[subject] = try Value(storedForm: data) }
        }
        return notes
    }

    /// Passes all notes of a kind to `body`, a page at a time, in the order of their subjects' names. `body` may change
    /// them.
    func forEachPage<Subject, Value>(
        of kind: SyncNotes<Subject, Value>, size: Int, _ body: ([(subject: Subject, value: Value)]) throws -> Void
    ) throws {
        var last: String?
        while true {
            let page = try metadata(withPrefix: kind.prefix, after: last, limit: size)
            guard let end = page.last?.key else { return }
            try body(
                page.compactMap { name, data in
                    guard let subject = kind.subject(named: name), let value = try Value(storedForm: data) else {
                        return nil
                    }
                    return (subject, value)
                })
            if page.count < size { return }
            last = end
        }
    }

    /// Whether there is a note of the kind.
    func hasNotes<Subject, Value>(of kind: SyncNotes<Subject, Value>) throws -> Bool {
        try !metadata(withPrefix: kind.prefix, after: nil, limit: 1).isEmpty
    }

    /// All subjects with a note of the kind, in the order of their names.
    func subjects<Subject, Value>(of kind: SyncNotes<Subject, Value>) throws -> [Subject] {
        try metadata(withPrefix: kind.prefix).compactMap { kind.subject(named: $0.key) }
    }
}

extension JournalWriting {
    /// Writes the note of a subject. Nil removes it.
    func setNote<Subject, Value>(
        _ kind: SyncNotes<Subject, Value>, of subject: Subject, to value: Value?
    ) throws {
        try setMetadata(value?.storedForm, for: kind.name(of: subject))
    }

    func removeNote<Subject, Value>(_ kind: SyncNotes<Subject, Value>, of subject: Subject) throws {
        try setMetadata(nil, for: kind.name(of: subject))
    }

    /// Removes all notes of a kind.
    func removeNotes<Subject, Value>(_ kind: SyncNotes<Subject, Value>) throws {
        for (name, _) in try metadata(withPrefix: kind.prefix) { try setMetadata(nil, for: name) }
    }
}

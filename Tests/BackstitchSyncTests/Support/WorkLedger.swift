/// The promises to users at work (`work` of `SyncProbe`), by their printed lines.
struct WorkLedger {
    private struct Note {
        /// Whether the save that made it has returned.
        var isCertain = false
        /// The value of `body` in the last save that has returned.
        var body: String?
        /// The values that it may have been set to since then.
        var perhaps: Set<String> = []
        var isDeleted = false
        var mayBeDeleted = false
        var tags: Set<String> = []
    }

    private var notes: [String: Note] = [:]
    /// The work that each user has begun, and has not told the end of.
    private var pending: [String: [String]] = [:]
    /// The greatest number that any user has written.
    private(set) var number = 0
    /// How many saves have returned.
    private(set) var count = 0
    /// Lines that report faults.
    private(set) var faults: [String] = []

    /// Takes a line of a user's output.
    mutating func take(_ line: String, of user: String) {
        let words = line.split(separator: " ").map(String.init)
        if words.first == "failed" { faults.append("\(user): \(line)") }
        guard words.count == 4 else { return }
        let act = Array(words.dropFirst())
        number = max(number, act[2].split(separator: "-").last.flatMap { Int($0) } ?? 0)
        switch words[0] {
        case "will": pending[user] = act
        case "did":
            pending[user] = nil
            count += 1
            apply(act, isCertain: true)
        case "no": pending[user] = nil
        case "perhaps": ended(user)
        default: break
        }
    }

    /// A user's process has ended, perhaps within a save.
    mutating func ended(_ user: String) {
        if let act = pending.removeValue(forKey: user) { apply(act, isCertain: false) }
    }

    private mutating func apply(_ act: [String], isCertain: Bool) {
        let (kind, key, value) = (act[0], act[1], act[2])
        var note = notes[key] ?? Note()
        switch kind {
        case "insert", "body":
            note.isCertain = note.isCertain || isCertain
            if isCertain {
                note.body = value
                note.perhaps = []
            } else {
                note.perhaps.insert(value)
            }
        case "tag": if isCertain { note.tags.insert(value) }
        case "delete":
            note.mayBeDeleted = true
            if isCertain { note.isDeleted = true }
        default: break
        }
        notes[key] = note
    }

    /// Returns the promises that were not kept.
    ///
    /// - Parameter dump: Notes as the probe shows them: `KEY|TITLE|BODY|RANK|TAG,TAG`.
    func broken(by dump: [String]) -> [String] {
        var found: [String: [String]] = [:]
        for line in dump {
            let parts = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            found[parts[0]] = parts
        }
        var faults: [String] = []
        for (key, note) in notes.sorted(by: { $0.key < $1.key }) {
            guard let parts = found[key] else {
                if note.isCertain, !note.mayBeDeleted { faults.append("\(key) (\(note.body ?? "")) is lost") }
                continue
            }
            if note.isDeleted { faults.append("\(key) (\(parts[2])) has come back") }
            if parts[2] != note.body, !note.perhaps.contains(parts[2]) {
                faults.append("\(key) has \(parts[2]) instead of \(note.body ?? "") \(note.perhaps.sorted())")
            }
            let tags = Set(parts[4].split(separator: ",").map(String.init))
            for tag in note.tags.subtracting(tags).sorted() {
                faults.append("\(key) (\(parts[2])) lacks the tag \(tag)")
            }
        }
        for key in found.keys.sorted() where notes[key] == nil { faults.append("nobody has made \(key)") }
        return faults
    }
}

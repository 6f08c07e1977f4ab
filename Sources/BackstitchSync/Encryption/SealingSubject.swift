import Backstitch
import CloudWire

/// An object as subject of a ``RecordSealing``. Its name begins with the last two digits of its key. These are random,
/// so all objects can be processed in 256 parts of similar size.
struct SealingSubject: SyncNoteSubject, Hashable {
    static let parts = 256
    let key: ObjectKey

    init(_ key: ObjectKey) { self.key = key }

    init?(noteName: String) {
        guard let key = ObjectKey(uuidString: String(noteName.dropFirst(3))) else { return nil }
        self.init(key)
    }

    var noteName: String {
        let text = key.uuidString
        return "\(text.suffix(2))/\(text)"
    }

    /// The beginning of the names of a part's subjects.
    static func prefix(ofPart part: Int) -> String {
        let digits = String(part, radix: 16, uppercase: true)
        return digits.count == 1 ? "0\(digits)/" : "\(digits)/"
    }
}

import BackstitchSupport

/// A change tag as this project's server makes it: in which history of the storage a version of a record was written,
/// and by which commit of its zone. Other servers' tags mean nothing to anybody but them.
///
/// Histories rise with time. So of two tags of one record in one life of its zone the greater one belongs to the newer
/// version, also where a restored backup has made the server forget that version.
public struct ChangeTag: Sendable, Hashable, Comparable {
    /// The history; 0 for versions that were written before tags named it.
    public var history: Int64
    /// The zone's commit.
    public var sequence: Int64

    /// A tag.
    public init(history: Int64, sequence: Int64) {
        self.history = history
        self.sequence = sequence
    }

    /// Reads a tag; nil when it has another form.
    public init?(_ text: some StringProtocol) {
        // Two numbers of 64 bits; no text that is longer is looked at.
        guard text.utf8.count <= 32 else { return nil }
        let parts = text.split(atByte: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let sequence = Int64(parts[parts.count - 1], radix: 36), sequence >= 0
        else { return nil }
        var history: Int64 = 0
        if parts.count == 2 {
            guard let read = Int64(parts[0], radix: 36), read > 0 else { return nil }
            history = read
        }
        self.init(history: history, sequence: sequence)
    }

    /// The tag's text: both numbers in base 36 with a dot between them; without a history the sequence alone.
    public var text: String {
        let last = String(sequence, radix: 36)
        return history == 0 ? last : "\(String(history, radix: 36)).\(last)"
    }

    /// Whether the left tag belongs to the older version.
    public static func < (left: ChangeTag, right: ChangeTag) -> Bool {
        (left.history, left.sequence) < (right.history, right.sequence)
    }
}

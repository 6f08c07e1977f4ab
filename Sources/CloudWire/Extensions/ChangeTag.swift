import BackstitchSupport

/// A change tag in the form of this project's server. It names the history of the storage and the commit of the zone
/// that wrote a version of a record. Tags of other servers have a meaning only for those servers.
///
/// Histories rise with time. So for one record in one life of its zone, the greater tag always belongs to the newer
/// version. This is true even after a restored backup has made the server forget that version.
package struct ChangeTag: Sendable, Hashable, Comparable {
    /// The history; 0 for versions from the time before tags named it.
    package var history: Int64
    /// The number of the zone's commit.
    package var sequence: Int64

    package init(history: Int64, sequence: Int64) {
        self.history = history
        self.sequence = sequence
    }

    /// Reads a tag; nil for a text of another form.
    package init?(_ text: some StringProtocol) {
        // A tag has two numbers of 64 bits, so longer texts are refused unread.
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

    /// The tag's text: both numbers in base 36 with a dot between them; without a history, only the sequence.
    package var text: String {
        let last = String(sequence, radix: 36)
        return history == 0 ? last : "\(String(history, radix: 36)).\(last)"
    }

    /// Whether the left tag belongs to the older version.
    package static func < (left: ChangeTag, right: ChangeTag) -> Bool {
        (left.history, left.sequence) < (right.history, right.sequence)
    }
}

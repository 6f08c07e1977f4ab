/// The mark of a log, as a value of the store's table. By it a file and the log beside it know each other.
///
/// SQLite writes any log with valid checksums into the file beside it. It does not notice that the file was replaced,
/// for example by a backup. So the first transaction of a log also writes this mark, see ``LogMarker``.
///
/// The file beside a log may be in any of these states, and in no other one:
///
/// | state of the file | its mark | its last transaction |
/// |---|---|---|
/// | no page of the log was moved into it | ``base`` | ``transaction`` |
/// | some pages were moved, without the table's page | ``base`` | ``transaction`` or later |
/// | pages were moved, and the table's is among them | ``log`` | any |
/// | the pages do not fit each other, because a process died while it moved them | readable or not | readable or not |
///
/// A file with another mark, or with an earlier transaction, is of another time. A file or log without a mark may be
/// anything: another program has written it, or it is being written.
struct LogLink: Equatable {
    /// The mark of a new store, which no log has.
    static let first = LogLink(log: "-", base: "-", transaction: 0)

    /// The name of the log that begins with this mark.
    let log: String
    /// The mark of the file when the log began.
    private let base: String
    /// The number of the last history transaction when the log began.
    private let transaction: Int64

    private init(log: String, base: String, transaction: Int64) {
        (self.log, self.base, self.transaction) = (log, base, transaction)
    }

    /// Creates the mark of a log that begins.
    ///
    /// - Parameter former: The mark in the file; nil for none.
    init(log: String, after former: LogLink?, transaction: Int64) {
        self.init(log: log, base: (former ?? .first).log, transaction: transaction)
    }

    /// Creates a mark from its stored form; nil for no mark. The name of the log is at both ends, because a page that
    /// was being written when the power failed may have the beginning of one mark and the end of another.
    init?(_ text: String?) {
        let words = text?.split(separator: " ").map(String.init) ?? []
        guard words.count == 4, words[0] == words[3], let number = Int64(words[2]) else { return nil }
        self.init(log: words[0], base: words[1], transaction: number)
    }

    var text: String { "\(log) \(base) \(transaction) \(log)" }

    /// Whether a file may be the one of the log with this mark.
    func fits(_ file: MarkedFile) -> Bool {
        guard let mark = file.link?.log else { return true }
        return mark == log || mark == base && file.transaction >= transaction
    }
}

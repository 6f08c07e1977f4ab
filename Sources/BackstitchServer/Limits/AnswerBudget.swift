import CloudWire

/// The bytes left for an answer. A route spends them while it reads, so it stops in time. It closes the budget to get
/// its answer. There is no other way to a ``BoundedAnswer``, and HTTP sends no other.
///
/// A commit of a zone is never cut. So a page of changes may be as large as the largest commit. The size of a commit is
/// bounded too (``ZonePlan/requireSize(_:)``).
struct AnswerBudget: Sendable {
    /// Bytes of the whole answer.
    let limit: Int
    /// Bytes still left to spend.
    private(set) var left: Int

    init(_ limits: WireLimits) {
        limit = limits.answer
        left = limits.answer
    }

    /// Spends bytes, even if fewer are left.
    mutating func spend(_ bytes: Int) { left -= bytes }

    /// Spends bytes, if enough are left.
    mutating func take(_ bytes: Int) -> Bool {
        guard bytes <= left else { return false }
        left -= bytes
        return true
    }

    /// Spends bytes of an answer that is given whole or not at all.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" if too few are left.
    mutating func require(_ bytes: Int) throws(WireError) {
        guard take(bytes) else { throw Self.exceeded(limit) }
    }

    /// Encodes the answer, if it is small enough.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" if it is too large.
    func close(_ answer: some WireEncodable, numbersAsStrings: Bool = false) throws -> BoundedAnswer {
        let answer = try closeAfterSpending(answer, numbersAsStrings: numbersAsStrings)
        guard answer.bytes.count <= limit else { throw Self.exceeded(limit) }
        return answer
    }

    /// Encodes the answer of a route that has spent for each element. Its size is not checked, since the route cannot
    /// undo its work.
    func closeAfterSpending(_ answer: some WireEncodable, numbersAsStrings: Bool = false) throws -> BoundedAnswer {
        BoundedAnswer(bytes: try answer.wireJSON(numbersAsStrings: numbersAsStrings))
    }

    /// Reuses an answer that was closed before, and kept.
    func reopen(_ kept: StoredAnswer) -> BoundedAnswer { BoundedAnswer(bytes: kept.response) }

    /// The error for an answer that would be too large. The same request with fewer items can succeed.
    static func exceeded(_ limit: Int) -> WireError {
        WireError(
            .badRequest,
            "\(WireError.limitExceededPrefix): the answer would be larger than \(limit) bytes; ask for fewer items")
    }
}

extension StoredRecord {
    /// Most bytes of the record in an answer: its fields, and the JSON around them.
    var weight: Int {
        deleted ? 300 + 2 * name.utf8.count : Self.weight(name, bytes: fields.count, flags)
    }

    /// The fewest bytes of an asset as stored.
    private static let bytesOfAsset = 50
    /// The most bytes of a download address: it names the caller by up to 255 bytes, and the token.
    private static let bytesOfAddress = 700

    /// The same for a live record with `bytes` bytes of fields.
    static func weight(_ name: String, bytes: Int, _ flags: Flags) -> Int {
        let assets = flags.contains(.assets) ? min(bytes / bytesOfAsset, RecordRules.mostAssets) : 0
        return 1_200 + 2 * name.utf8.count + bytes + assets * bytesOfAddress
    }
}

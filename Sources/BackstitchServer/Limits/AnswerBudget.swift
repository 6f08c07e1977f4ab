import CloudWire

/// The bytes that an answer may still hold. A route spends while it reads, so that it stops in time, and closes the
/// budget to get its answer: there is no other way to a ``BoundedAnswer``, and HTTP sends no other.
///
/// A commit of a zone is never cut, so a page of changes may be as large as the largest commit, which is bounded as
/// well (``ZonePlan/requireSize(_:)``).
struct AnswerBudget: Sendable {
    /// Bytes of the whole answer.
    let limit: Int
    /// Bytes that may still be spent.
    private(set) var left: Int

    init(_ limits: WireLimits) {
        limit = limits.answer
        left = limits.answer
    }

    /// Spends bytes, even if they are more than there are.
    mutating func spend(_ bytes: Int) { left -= bytes }

    /// Spends bytes if there are so many.
    mutating func take(_ bytes: Int) -> Bool {
        guard bytes <= left else { return false }
        left -= bytes
        return true
    }

    /// Spends bytes of an answer that is given whole or not at all.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" when there are not so many.
    mutating func require(_ bytes: Int) throws(WireError) {
        guard take(bytes) else { throw Self.exceeded(limit) }
    }

    /// The answer, if it is small enough.
    ///
    /// - Throws: BAD_REQUEST "limit exceeded" when it is not.
    func close(_ answer: some WireEncodable, numbersAsStrings: Bool = false) throws -> BoundedAnswer {
        let answer = try closeAfterSpending(answer, numbersAsStrings: numbersAsStrings)
        guard answer.bytes.count <= limit else { throw Self.exceeded(limit) }
        return answer
    }

    /// The answer of a route that has spent for each element, and can't take back what it has done.
    func closeAfterSpending(_ answer: some WireEncodable, numbersAsStrings: Bool = false) throws -> BoundedAnswer {
        BoundedAnswer(bytes: try answer.wireJSON(numbersAsStrings: numbersAsStrings))
    }

    /// An answer that was closed before, and kept.
    func reopen(_ kept: StoredAnswer) -> BoundedAnswer { BoundedAnswer(bytes: kept.response) }

    /// The error about an answer that would be too large: the same request with fewer items has one.
    static func exceeded(_ limit: Int) -> WireError {
        WireError(
            .badRequest,
            "\(WireError.limitExceededPrefix): the answer would be larger than \(limit) bytes; ask for fewer items")
    }
}

extension StoredRecord {
    /// Bytes that the record takes in an answer, at most: its fields, and what stands around them.
    var weight: Int {
        deleted ? 300 + 2 * name.utf8.count : Self.weight(name, bytes: fields.count, flags)
    }

    /// The same for a live record whose fields have so many bytes.
    static func weight(_ name: String, bytes: Int, _ flags: Flags) -> Int {
        // Each asset gets an address to download it from, which is longer than what is stored of it.
        1_200 + 2 * name.utf8.count + bytes * (flags.contains(.assets) ? 5 : 1)
    }
}

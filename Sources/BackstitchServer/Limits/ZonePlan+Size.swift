import CloudWire

extension ZonePlan {
    /// A commit is never cut by a page, so it must not be larger than one. A small change of a large record writes all
    /// of it, and one of a share all participants.
    ///
    /// - Parameter limit: Bytes of fields, and of participants, that one commit may write.
    /// - Throws: BAD_REQUEST "limit exceeded" when it would write more.
    func requireSize(_ limit: Int) throws(WireError) {
        let size =
            changes.reduce(0) { $0 + ($1?.record.fields.count ?? 0) + ($1?.share?.after?.weight ?? 0) }
            + touched.reduce(0) { $0 + $1.fields.count }
        guard size <= limit else {
            throw WireError(
                .badRequest,
                "\(WireError.limitExceededPrefix): the records that the request changes have \(size) bytes of fields "
                    + "and participants, at most \(limit); change fewer at a time")
        }
    }
}

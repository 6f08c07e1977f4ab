import CloudWire

extension ZonePlan {
    /// Refuses a commit that is too large. A page never cuts a commit, so a commit must not be larger than a page. A
    /// small change of a large record writes all of it. A change of a share writes all participants.
    ///
    /// - Parameter limit: Most bytes of fields and of participants in one commit.
    /// - Throws: BAD_REQUEST "limit exceeded" if the commit has more.
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

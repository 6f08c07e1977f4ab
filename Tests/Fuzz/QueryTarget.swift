#if FUZZING

@testable import BackstitchServer
@testable import CloudWire

/// Queries as the server reads them. Its plan of any query is made or refused. Its filters have an answer for any
/// record, and the same answer again.
struct QueryTarget: FuzzTarget {
    /// The input is a query, whose filters' values are also the fields of a record.
    func run(_ input: [UInt8]) {
        guard let request = try? RecordsQueryRequest(wireJSON: input) else { return }
        var fields: [String: WireValue?] = [:]
        for filter in request.query.filterBy { fields[filter.fieldName ?? "f"] = filter.fieldValue }
        let record = StoredRecord(
            name: "r", type: request.query.recordType, sequence: 1, deleted: false, flags: [], created: 1,
            createdBy: "u", createdOn: "2", modified: 1, modifiedBy: "u", fields: [])
        for isWide in [false, true] {
            guard let plan = try? QueryPlan(request.query, isWide: isWide) else { continue }
            for condition in plan.conditions {
                promise(condition.holds(record, fields) == condition.holds(record, fields), "a filter changes its mind")
            }
            let index = plan.index
            promise(
                QueryIndex(type: index.type, text: index.text) == index, "an index is not read as it is written down")
            let keys = index.keys(of: record, fields)
            promise(keys == index.keys(of: record, fields) || index.hasParts, "a record has other entries now")
            promise(keys.count <= QueryLimits.parts, "a record has too many entries")
        }
    }
}

#endif

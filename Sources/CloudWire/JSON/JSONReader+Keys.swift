extension JSONReader: KeyCoding {
    /// The state of the innermost object that is read by a table.
    struct Table {
        /// The key of the next value; ``JSONKey/none`` at the end of the object and after a fault.
        var key = JSONKey.none
        /// The key whose value is being read, for errors. Nil for the value of a list, and between values.
        var reading: StaticString?
        /// The number of table lines so far that require their key.
        var demands: UInt64 = 0
        /// One bit for each requirement that is met.
        var met: UInt64 = 0
        /// The object has ended, and its requirements are checked.
        var isChecking = false
        var fault: WireCodingError?
    }

    /// Reads an object by one or several tables. Calls `keys` until every key was offered to all lines. One call is
    /// enough if the keys are in the order of the tables, as in messages of this module's writer.
    @inline(__always)
    mutating func readObject(_ keys: (inout JSONReader) -> Void) throws(WireCodingError) {
        let demands = table.demands
        let met = table.met
        defer {
            table.demands = demands
            table.met = met
        }
        try enterObject()
        table.met = 0
        table.demands = 1
        try nextTableKey()
        while !table.key.isNone {
            let start = position
            try pass(keys)
            // No table has a line for the key.
            if position == start {
                try skip()
                try nextTableKey()
            }
        }
        guard table.met != (2 &<< table.demands) &- 2 else { return }
        table.isChecking = true
        defer { table.isChecking = false }
        try pass(keys)
    }

    @inline(__always)
    /// Runs the tables once, and throws the fault that a line has noted.
    private mutating func pass(_ keys: (inout JSONReader) -> Void) throws(WireCodingError) {
        table.demands = 0
        keys(&self)
        guard let fault = table.fault else { return }
        table.fault = nil
        throw fault
    }

    private mutating func nextTableKey() throws(WireCodingError) {
        table.key = try nextKey() ?? .none
    }

    @inline(__always)
    mutating func field(
        _ name: StaticString, if isWritten: Bool, else missing: StaticString?, write: (inout JSONWriter) -> Void,
        read: (inout JSONReader) throws(WireCodingError) -> Bool
    ) {
        if missing != nil { table.demands &+= 1 }
        guard name ~= table.key else {
            if let missing, table.isChecking, table.met & 1 &<< table.demands == 0 { refuse(missing) }
            return
        }
        table.key = .none
        do throws(WireCodingError) {
            table.reading = name
            let isGiven = try read(&self)
            table.reading = nil
            if missing != nil, isGiven { table.met |= 1 &<< table.demands }
            try nextTableKey()
        } catch {
            table.key = .none
            table.fault = error
        }
    }

    @inline(__always)
    mutating func check(_ holds: Bool, else fault: StaticString) {
        table.demands &+= 1
        if table.isChecking, !holds { refuse(fault) }
    }

    private mutating func refuse(_ fault: StaticString) {
        if table.fault == nil { table.fault = wrongValue("\(fault)") }
    }
}

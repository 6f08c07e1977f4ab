import TestSupport

extension TestProcess {
    /// Starts a program of these tests. The order of dictionaries decides over some of its work: let it be the same
    /// each time.
    convenience init(_ arguments: [String], of program: String = "StoreCrashProbe") throws {
        try self.init(program, arguments, environment: Self.fixedHashing)
    }
}

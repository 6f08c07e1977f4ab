#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The limit on open files and connections of this process.
enum DescriptorLimit {
    /// Connections with a descriptor left for them, after those for the storage, the assets and the program around the
    /// server.
    static var connections: Int {
        var limit = rlimit()
        #if canImport(Glibc)
        let result = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let result = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        guard result == 0, limit.rlim_cur < rlim_t(Int32.max) else { return 65_536 }
        let all = Int(limit.rlim_cur)
        return max(all - min(all / 2, 96), 8)
    }
}

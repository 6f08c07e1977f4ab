#if !Sync
#error("BackstitchSync needs the trait Sync of its package: .package(url: …, traits: [\"Sync\"])")
#endif
